"""The gRPC server: a thin shell around the rules core."""
