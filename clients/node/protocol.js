'use strict';
// Everything between a bot and the server: two streams, and what to do when they break.
//
// AttachBot (the arena)   we say who we are and how much we can play; the server offers seats.
// Play                    ONE stream for all our games: prompts come in, answers go out.
//
// The rules this file keeps, and any client in any language should:
//   1. A command stays in `waiting` until the server has answered it (Accepted or Rejection).
//   2. After a cut: Hello, Attach with the last sequence number we have, then everything that is
//      still waiting AGAIN UNDER ITS OLD request id. The server plays nothing twice.
//   3. A decision is answered once. The same prompt may come again; it is the same question.
//   4. A Rejection is an update, not an error: the game goes on, and the next update says how. With
//      retry_after_ms the same command is sent again after it; without, never.
//   5. A seat is attached when the arena says that it is ours (SeatBound), or when it is in the
//      list of our seats, which we ask for after each welcome of either stream.
//   6. What we do not know (a kind of report, of decision, of move, a field) does not hurt us.
//
// docs/write-a-bot.md walks through the messages.

const path = require('node:path');
const grpc = require('@grpc/grpc-js');
const protoLoader = require('@grpc/proto-loader');

const LEAST_REVISION = 1; // of the contract: what we cannot do without
const CLIENT = { name: 'endless-winter-node', version: require('./package.json').version };
const FIRST_WAIT_MS = 100; // before the second attempt to connect; doubles ...
const LONGEST_WAIT_MS = 5000; // ... up to this
const UNWELCOME_MS = 4500; // so long may a server take to answer Hello where there is another one
const RETRY_MS = 1000; // between calls that failed without a word of the server
const REMEMBERED = 1000; // games that are over

// Refusals of an answer that is wrong in itself: choose something else.
const WRONG = new Set(['ILLEGAL_OPTION', 'INVALID_ARGUMENT']);

// The proto files are read as they are; there is no generated code.
//   keepCase: fields are called as in the files.      enums: by name; an unknown one is a number.
//   longs: Number is exact up to 2^53, far more than any id, sequence number or time here.
function loadContract(folder = process.env.EW_PROTO || path.join(__dirname, '..', '..', 'proto')) {
  const files = ['play_service', 'arena_service', 'game_service'];
  const definition = protoLoader.loadSync(
    files.map((name) => `endless_winter/v1/${name}.proto`),
    { includeDirs: [folder], keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true },
  );
  return grpc.loadPackageDefinition(definition).endless_winter.v1;
}

// One seat of one game.
class Seat {
  constructor(gameId, seat) {
    this.gameId = gameId;
    this.seat = seat;
    this.seq = undefined; // the newest sequence number we have: where to go on after a cut
    this.askedOn = undefined; // the stream on which we have sent Attach ...
    this.attached = false; // ... and got Attached
    this.asked = 0; // the newest decision we were asked
    this.waiting = new Map(); // request id -> command that the server has not answered
  }

  get key() {
    return `${this.gameId}/${this.seat}`;
  }
}

// Plays every seat it gets. `choose(decision, view)` returns an option id, or a promise of one.
// Events: onEnd(seat, result), onIdle() when the last seat is over, onFatal(message).
class Player {
  constructor({ address, secret, choose, bot, log, onEnd, onIdle, onFatal, contract, credentials }) {
    this.services = contract || loadContract();
    this.trust = credentials || grpc.credentials.createInsecure();
    this.addresses = address.split(',').map((one) => one.trim()); // the one that we use comes first
    this.connect();
    this.metadata = new grpc.Metadata();
    this.metadata.set('ew-client-secret', secret); // the whole login
    this.choose = choose;
    this.bot = bot; // { name, token, capacity }; absent: no arena, only games that we join
    this.log = log || (() => {});
    this.onEnd = onEnd || (() => {});
    this.onIdle = onIdle || (() => {});
    this.onFatal = onFatal || ((message) => this.log(message));
    this.seats = new Map(); // key -> Seat
    this.over = new Set(); // keys of the latest seats that are over for us
    this.streams = {}; // name -> the call that is open now
    this.failures = {}; // name -> attempts since the last success
    this.waitAtLeast = 0; // from Goodbye
    this.welcomed = false; // the server has answered our Hello
    this.leaving = false; // it has said Goodbye: we write nothing more on this stream
    this.timers = new Set();
    this.stopped = false;
  }

  connect() {
    const { services, trust } = this;
    const several = this.addresses.length > 1;
    const options = {
      'grpc.enable_http_proxy': 0, // it would be asked even for a server on this machine
      // Notices a line that died without a word; soon, where we can go elsewhere.
      'grpc.keepalive_time_ms': several ? 2000 : 20000,
      'grpc.keepalive_timeout_ms': several ? 2500 : 10000,
      'grpc.initial_reconnect_backoff_ms': FIRST_WAIT_MS,
      'grpc.min_reconnect_backoff_ms': FIRST_WAIT_MS,
      'grpc.max_reconnect_backoff_ms': LONGEST_WAIT_MS,
      'grpc.max_receive_message_length': 8 << 20,
    };
    this.address = this.addresses[0];
    this.play = new services.PlayService(this.address, trust, options);
    // All services share one connection.
    const shared = { ...options, channelOverride: this.play.getChannel() };
    this.arena = new services.ArenaService(this.address, trust, shared);
    this.games = new services.GameService(this.address, trust, shared);
  }

  // Go on at the next address, with all streams. What is waiting is sent again there.
  moveOn() {
    this.addresses.push(this.addresses.shift());
    const { AttachBot: arena } = this.streams;
    const left = this.play;
    this.streams = {};
    this.connect();
    if (arena) arena.cancel();
    left.close();
    if (this.bot) this.later(FIRST_WAIT_MS, () => this.open('AttachBot'));
  }

  start() {
    this.open('Play');
    if (this.bot) this.open('AttachBot');
  }

  // Leave: seats stay ours, and a process with the same secret can go on with them.
  stop() {
    this.stopped = true;
    for (const timer of this.timers) clearTimeout(timer);
    for (const call of Object.values(this.streams)) call.end();
    this.play.close();
  }

  // Join a game by its id instead of waiting for offers.
  join(gameId, { seat, invitation = '', name = '' } = {}) {
    const request = { request_id: `join-${gameId}`.slice(0, 64), game_id: gameId, seat, invitation, display_name: name };
    this.games.JoinGame(request, this.metadata, { deadline: Date.now() + 10000 }, (error, response) => {
      if (!error) this.take(gameId, response.seat);
      else if (isFinal(error)) this.onFatal(`cannot join game ${gameId}: ${error.details}`);
      else this.later(waitOf(error) || RETRY_MS, () => this.join(gameId, { seat, invitation, name }));
    });
  }

  // --- streams: opening, losing, opening again ---

  open(name) {
    if (this.stopped || this.streams[name]) return;
    const call = name === 'Play' ? this.play.Play(this.metadata) : this.arena.AttachBot(this.metadata);
    this.streams[name] = call;
    call.on('data', (message) => {
      if (this.streams[name] !== call) return;
      if (name === 'Play') message.reports.forEach((report) => this.heard(report));
      else this.heardOfArena(message);
    });
    // A stream ends with 'end' or 'error', sometimes with both; the first one counts.
    call.on('error', (error) => this.lost(name, call, error));
    call.on('end', () => this.lost(name, call));
    if (name === 'Play') {
      const hello = { least_revision: LEAST_REVISION, client_name: CLIENT.name, client_version: CLIENT.version };
      call.write({ commands: [{ hello }] });
      if (this.addresses.length > 1) {
        this.later(UNWELCOME_MS, () => {
          if (this.streams.Play === call && !this.welcomed) call.cancel();
        });
      }
    } else {
      call.write({
        hello: {
          name: this.bot.name,
          version: CLIENT.version,
          capacity: this.bot.capacity,
          ability: { modules: true, rivers: true, solo: true }, // what we can play; see BotAbility
          token: this.bot.token,
          least_revision: LEAST_REVISION,
        },
      });
    }
  }

  lost(name, call, error) {
    if (this.streams[name] !== call) return; // reported already
    delete this.streams[name];
    if (name === 'Play') {
      this.welcomed = false;
      this.leaving = false;
      for (const seat of this.seats.values()) seat.attached = false;
    }
    if (this.stopped) return;
    if (error && isFinal(error)) {
      this.onFatal(`the server at ${this.address} refuses us: ${error.details}`);
      return;
    }
    // Back off, with a random part so that many bots do not come back at the same time.
    const failures = (this.failures[name] = (this.failures[name] || 0) + 1);
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
    let wait = longest * (0.5 + Math.random() / 2);
    if (this.addresses.length === 1) wait = Math.max(wait, this.waitAtLeast, waitOf(error) || 0);
    else if (name === 'Play') this.moveOn();
    if (failures > 3) this.log(`no ${name} stream to ${this.address}: ${error ? error.details : 'it ended'}; trying again`);
    this.later(wait, () => this.open(name));
  }

  later(ms, work) {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      if (!this.stopped) work();
    }, ms);
    this.timers.add(timer);
  }

  // --- the arena ---

  heardOfArena({ message: kind, welcome, seat_offer: offer, seat_bound: bound }) {
    if (kind === 'welcome') {
      this.failures.AttachBot = 0;
      this.log(`attached to ${this.address} as ${this.bot.name}`, welcome.server.rules_version);
      this.askForSeats(); // one may have become ours while there was no stream to say so
    } else if (kind === 'seat_offer') {
      this.streams.AttachBot.write({ offer_reply: { offer_id: offer.offer_id, accept: true } });
    } else if (kind === 'seat_bound') {
      this.take(bound.game_id, bound.seat, true);
    } // offer_closed: there is nothing to forget yet
  }

  // --- the Play stream ---

  // A seat is ours; with `anew` it has just become so, whatever it was before.
  take(gameId, number, anew = false) {
    const seat = new Seat(gameId, number);
    if (this.seats.has(seat.key) || (!anew && this.over.has(seat.key))) return;
    this.seats.set(seat.key, seat);
    this.attach(seat);
  }

  forget(seat) {
    // A list of seats that was asked for earlier may still name it.
    this.over.add(seat.key);
    if (this.over.size > REMEMBERED) this.over.delete(this.over.values().next().value);
    if (this.seats.delete(seat.key) && this.seats.size === 0) this.onIdle();
  }

  write(commands) {
    const call = this.streams.Play;
    if (call && !this.leaving) call.write({ commands });
  }

  attach(seat) {
    const call = this.streams.Play;
    if (!this.welcomed || seat.askedOn === call || !this.seats.has(seat.key)) return;
    seat.askedOn = call;
    const attach = { feed: { skip_labels: true, skip_events: true } };
    if (seat.seq !== undefined) attach.after_seq = seat.seq;
    this.write([{ request_id: 'attach', game_id: seat.gameId, seat: seat.seat, attach }]);
  }

  // A command that is logged: remembered until the server answers it.
  send(seat, requestId, command) {
    const whole = { request_id: requestId, game_id: seat.gameId, seat: seat.seat, ...command };
    seat.waiting.set(requestId, whole);
    if (seat.attached) this.write([whole]);
  }

  heard(report) {
    const seat = this.seats.get(`${report.game_id}/${report.seat}`);
    switch (report.report) {
      case 'welcome':
        this.failures.Play = 0;
        this.waitAtLeast = 0;
        this.welcomed = true;
        for (const each of this.seats.values()) this.attach(each);
        this.askForSeats();
        return;
      case 'goodbye': // the server drains: end the stream ourselves, come back when it says
        this.waitAtLeast = report.goodbye.reconnect_after_ms;
        this.leaving = true;
        this.streams.Play.end();
        return;
      case 'rejection':
        this.refused(seat, report.request_id, report.rejection);
        return;
    }
    if (!seat) return; // a game that is over for us
    switch (report.report) {
      case 'attached':
        seat.attached = true;
        if (seat.waiting.size) this.write([...seat.waiting.values()]);
        return;
      case 'accepted':
        seat.waiting.delete(report.request_id);
        return;
      case 'update':
        this.takeUpdate(seat, report.update);
        return;
      case 'detached':
        if (report.detached.cause && mayPass(report.detached.cause)) {
          seat.attached = false;
          seat.askedOn = undefined;
          this.later(report.detached.cause.retry_after_ms, () => this.attach(seat));
        } else this.forget(seat);
        return;
      default: // a kind of report that is newer than we are
    }
  }

  // A process that was started anew knows nothing: the server says which seats are ours.
  askForSeats(pageToken = '') {
    this.play.ListMySeats({ page_token: pageToken }, this.metadata, { deadline: Date.now() + 10000 }, (error, found) => {
      if (this.stopped) return;
      if (error) {
        if (!isFinal(error)) this.later(waitOf(error) || RETRY_MS, () => this.askForSeats(pageToken));
        return;
      }
      for (const { game_id: gameId, seat } of found.seats) this.take(gameId, seat);
      if (found.next_page_token) this.askForSeats(found.next_page_token);
    });
  }

  takeUpdate(seat, update) {
    if (seat.seq !== undefined && update.seq < seat.seq) return; // older than what we have
    seat.seq = update.seq;
    if (update.result) {
      this.onEnd(seat, update.result);
      this.forget(seat);
      return;
    }
    if (update.ready_check && !seat.waiting.has('ready')) this.send(seat, 'ready', { ready: {} });
    if (update.prompt) this.decide(seat, update);
  }

  async decide(seat, update) {
    const decision = update.prompt.decision;
    if (decision.decision_id <= seat.asked) return; // the same question again
    seat.asked = decision.decision_id;
    // Answers to earlier decisions can no longer matter.
    for (const [id, command] of seat.waiting) if (command.answer) seat.waiting.delete(id);
    const began = Date.now();
    const view = { public: update.public_view, private: update.private_view, seat: seat.seat, gameId: seat.gameId };
    let answer;
    try {
      answer = { option_id: await this.choose(decision, view) };
    } catch (error) {
      this.log(`choose() failed in game ${seat.gameId}: ${error.stack}`);
      answer = { take_default: true };
    }
    if (seat.asked !== decision.decision_id || !this.seats.has(seat.key)) return; // took too long
    answer.decision_id = decision.decision_id;
    answer.think_ms = Date.now() - began;
    // The id is made of the decision, so even a process that was started anew repeats it.
    this.send(seat, `d${decision.decision_id}`, { answer });
  }

  refused(seat, requestId, rejection) {
    const reason = reasonOf(rejection);
    if (!requestId && !seat && !mayPass(rejection)) {
      this.onFatal(`the server at ${this.address} refuses us: ${reason}: ${rejection.message}`); // Hello
      return;
    }
    if (!seat) return;
    const wait = rejection.retry_after_ms;
    if (requestId === 'attach') {
      seat.askedOn = undefined;
      if (mayPass(rejection)) this.later(wait, () => this.attach(seat));
      else {
        this.log(`game ${seat.gameId} is not for us: ${reason}`);
        this.forget(seat);
      }
      return;
    }
    const command = seat.waiting.get(requestId);
    if (!command) return;
    if (mayPass(rejection)) {
      this.later(wait, () => {
        // Still waiting, and not sent by a resume in the meantime.
        if (seat.attached && seat.waiting.has(requestId)) this.write([command]);
      });
      return;
    }
    seat.waiting.delete(requestId);
    if (WRONG.has(reason) && command.answer && !command.answer.take_default) {
      // Our own mistake. Something else is another command, so it has another id.
      this.log(`game ${seat.gameId}, decision ${command.answer.decision_id}: ${reason}; taking the default`);
      const answer = { decision_id: command.answer.decision_id, take_default: true };
      this.send(seat, `${requestId}-default`, { answer });
    }
    // Everything else (STALE_DECISION, TOO_LATE, ...): the next update says how it goes on.
  }
}

// Whether the same command may be sent again after retry_after_ms. That alone decides, also for a
// reason that is newer than we are. (The oneof that proto-loader makes of an `optional` field says
// whether it was sent.)
function mayPass(rejection) {
  return rejection._retry_after_ms === 'retry_after_ms';
}

// The same for a call or stream that ended with a status: a refusal has a google.rpc.ErrorInfo in
// the details, whose metadata may have retry_after_ms. A status without one is not the server's
// word but the line's, and the line may come back.
function isFinal(error) {
  if (error.code === grpc.status.UNIMPLEMENTED) return true; // something else listens there
  const info = errorInfo(error);
  return info !== undefined && info.retry_after_ms === undefined;
}

function waitOf(error) {
  const info = error && errorInfo(error);
  return info && info.retry_after_ms ? Number(info.retry_after_ms) : undefined;
}

// The metadata of the ErrorInfo. With generated code this is two lines; the proto files here have
// only our own messages, so we read the bytes: Status.details = 3, Any.value = 2,
// ErrorInfo.domain = 2, ErrorInfo.metadata = 3 (key = 1, value = 2).
function errorInfo(error) {
  const [bytes] = (error.metadata && error.metadata.get('grpc-status-details-bin')) || [];
  if (!bytes) return undefined;
  for (const any of parts(bytes, 3)) {
    for (const info of parts(any, 2)) {
      if (String(parts(info, 2)[0]) !== 'endless_winter.v1') continue;
      return Object.fromEntries(parts(info, 3).map((pair) => [String(parts(pair, 1)[0]), String(parts(pair, 2)[0])]));
    }
  }
  return undefined;
}

// The strings, bytes or messages of one field of a serialized message.
function parts(bytes, field) {
  const found = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * shift;
      if (!(byte & 128)) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const size = varint(); // of field type 0 this is the value, and there is no other type here
    if ((tag & 7) !== 2) continue;
    if (tag >> 3 === field) found.push(bytes.subarray(at, at + size));
    at += size;
  }
  return found;
}

function reasonOf(rejection) {
  return String(rejection.reason).replace('REJECTION_REASON_', '');
}

module.exports = { Player, loadContract };
