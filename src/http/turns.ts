import type { Server } from 'node:net'

/** Does work bit by bit, so that a turn of the event loop stays short. */
export type Turns = {
  /** Of HTTP. */
  readonly requests: Queue
  /** Of sockets: a thousand streams that begin again hold up no request. */
  readonly operations: Queue
  /** Begins to turn somebody away, of which a turn has room for several. */
  turnAway(answer: () => void): void
}

export type Queue = {
  /** Begins a piece of work: at once when nothing is ahead of it, otherwise in a later turn of the event loop. */
  begin(work: () => void): void
  /** How long the first piece of work that waits has waited, in milliseconds; 0 when none waits. */
  readonly waitedMs: () => number
}

/** What a turn has room for, of each queue: a question takes about a millisecond, and turning one away a twentieth of that. */
const WORK = 1
const REFUSALS = 4
/** Turns that may go by for connections alone before the next piece of work begins. */
const MAX_PASSES = 8

/**
 * Begins one piece of work of each queue in each turn of the event loop, in the order in which they came, and none in a turn
 * that has taken up a connection: more may be waiting. A turn takes up a single one
 * (https://github.com/libuv/libuv/pull/3696), so that a turn of 150 ms, in which a few hundred connections all have their
 * say, lets seven in per second, and whoever comes new waits for seconds before a byte is read. A connection that waits for
 * its answer asks nothing more meanwhile, which bounds what a turn has to read. `server` is the one whose connections are
 * meant.
 */
export function createTurns(server: Server): Turns {
  const requests = createLane()
  const operations = createLane()
  const refusals = createLane()
  let connected = false
  let passes = 0
  let armed = false

  const arm = () => {
    if (!armed) setImmediate(turn)
    armed = true
  }
  const turn = () => {
    armed = false
    const pass = connected && passes < MAX_PASSES
    passes = pass ? passes + 1 : 0
    connected = false
    refusals.turn(REFUSALS)
    for (const work of [requests, operations]) work.turn(pass ? 0 : WORK)
    if ([requests, operations, refusals].some((lane) => !lane.isIdle())) arm()
  }

  server.on('connection', () => {
    connected = true
    arm()
  })
  const queue = (lane: Lane): Queue => ({
    begin(start) {
      arm()
      lane.add(start, connected ? 0 : WORK)
    },
    waitedMs: lane.waitedMs,
  })
  return {
    requests: queue(requests),
    operations: queue(operations),
    turnAway(answer) {
      arm()
      refusals.add(answer, REFUSALS)
    },
  }
}

type Lane = ReturnType<typeof createLane>

type Waiting = { readonly start: () => void; readonly since: number }

/** What waits, and how much has begun since the last turn. */
function createLane() {
  const waiting: Waiting[] = []
  let begun = 0
  return {
    /** Starts it now when the turn has room for it. */
    add(start: () => void, room: number) {
      if (begun >= room || waiting.length > 0) return void waiting.push({ start, since: performance.now() })
      begun += 1
      return start()
    },
    turn(room: number) {
      const due = waiting.splice(0, room)
      begun = due.length
      for (const { start } of due) start()
    },
    isIdle: () => begun === 0 && waiting.length === 0,
    waitedMs: () => (waiting[0] === undefined ? 0 : performance.now() - waiting[0].since),
  }
}
