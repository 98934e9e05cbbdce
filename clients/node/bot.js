#!/usr/bin/env node
'use strict';
// Starts the bot:
//
//   node bot.js                               attach to the arena and play what is offered
//   node bot.js --join GAME [--invitation W]  join one game, play it, and end
//
// EW_SERVER         the address, host:port (127.0.0.1:50051) or unix:/path; several, of nodes that
//                   serve the same games, are separated by commas
// EW_CLIENT_SECRET  64 lower-case hexadecimal digits; without it a new one is drawn, and then the
//                   seats are lost when the process ends
// EW_BOT_NAME       the name under which games ask for us (node)
// EW_BOT_TOKEN      the right to that name, where it is reserved
// EW_BOT_CAPACITY   how many seats we play at the same time (4)
// EW_TLS_CA         a PEM file: connect by TLS and trust this authority

const crypto = require('node:crypto');
const fs = require('node:fs');
const { parseArgs } = require('node:util');
const grpc = require('@grpc/grpc-js');
const { Player } = require('./protocol.js');
const { choose } = require('./choose.js');

const env = process.env;

function log(...words) {
  console.error('bot:', ...words);
}

function leave(message) {
  log(message);
  process.exit(2);
}

function main() {
  let options;
  try {
    options = parseArgs({ options: { join: { type: 'string' }, invitation: { type: 'string' } } }).values;
  } catch (error) {
    leave(error.message);
  }
  const secret = env.EW_CLIENT_SECRET || crypto.randomBytes(32).toString('hex');
  if (!/^[0-9a-f]{64}$/.test(secret)) leave('EW_CLIENT_SECRET must be 64 lower-case hexadecimal digits');
  const capacity = Number(env.EW_BOT_CAPACITY || 4);
  if (!Number.isInteger(capacity) || capacity < 1) leave('EW_BOT_CAPACITY must be a number from 1 on');
  let credentials;
  try {
    credentials = env.EW_TLS_CA ? grpc.credentials.createSsl(fs.readFileSync(env.EW_TLS_CA)) : undefined;
  } catch (error) {
    leave(`EW_TLS_CA cannot be used: ${error.message}`);
  }
  const name = env.EW_BOT_NAME || 'node';
  const bot = { name, token: env.EW_BOT_TOKEN || '', capacity };

  const player = new Player({
    address: env.EW_SERVER || '127.0.0.1:50051',
    secret,
    choose,
    bot: options.join ? undefined : bot,
    credentials,
    log,
    onEnd(seat, result) {
      const mine = result.seats[seat.seat];
      log(`game ${seat.gameId}: place ${mine.place} with ${mine.score} points (${mine.reason})`);
    },
    onIdle: options.join ? () => player.stop() : undefined,
    onFatal: leave,
  });
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      player.stop();
      setTimeout(() => process.exit(0), 500).unref(); // what is still open does not hold us
    });
  }
  player.start();
  if (options.join) player.join(options.join, { invitation: options.invitation, name });
}

main();
