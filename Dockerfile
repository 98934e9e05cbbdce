# tests/foundations/test_dockerfile.py runs the steps of the build stage without Docker.
FROM python:3.11-slim AS build
WORKDIR /src
RUN python -m venv /opt/ew
COPY requirements/run.lock requirements/run.lock
RUN /opt/ew/bin/python -m pip install --require-hashes -r requirements/run.lock
COPY pyproject.toml README.md LICENSE NOTICE.md ./
COPY proto proto
COPY server server
COPY clients/python clients/python
COPY clients/web clients/web
RUN /opt/ew/bin/python -m pip install --no-deps --no-build-isolation .
# The lock holds the build tools too; a server has no use for them.
RUN /opt/ew/bin/python -m pip uninstall --yes grpcio-tools hatchling mypy-protobuf setuptools types-protobuf pip

FROM python:3.11-slim
# For tournaments: their bots run in sandboxes where the container may make namespaces (docs/tournaments.md).
RUN apt-get update && apt-get install --yes --no-install-recommends bubblewrap && rm -rf /var/lib/apt/lists/*
RUN useradd --system --no-create-home --shell /usr/sbin/nologin ew
# The games. A named volume gets this owner when it is first used; a bind mount must be given to it.
RUN install --directory --owner ew --group ew --mode 0700 /var/lib/endless-winter
COPY --from=build /opt/ew /opt/ew
ENV PATH=/opt/ew/bin:$PATH PYTHONUNBUFFERED=1 EW_STORE=/var/lib/endless-winter/games.db
VOLUME /var/lib/endless-winter
WORKDIR /var/lib/endless-winter
USER ew
EXPOSE 50051
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=10s CMD ["ew", "health", "127.0.0.1:50051"]
# Inside a container every interface is needed. Without TLS publish the port on a private network
# only; docs/hosting.md has the other settings, by variables of the environment.
CMD ["ew", "serve", "--listen", "0.0.0.0:50051", "--insecure"]
