/** One action of an attacker, with everything needed to repeat it. */
export type Attack = HttpAttack | SocketAttack

type Common = {
  /** The class of the attack, such as `doubled fragments`. */
  readonly name: string
  /** What the client sends, as text: for the report of a finding, and to search answers for text that the client did not send. */
  readonly told: string
}

/** Bytes on a connection of its own. */
export type HttpAttack = Common & {
  readonly kind: 'http'
  /** The methods of the requests in these bytes, in order: an answer to HEAD has no body. */
  readonly methods: readonly string[]
  readonly chunks: readonly Buffer[]
  /** Milliseconds between two chunks. */
  readonly pauseMs: number
  /** Whether every request is complete, so that each must be answered. Otherwise an answer is optional, and the client disconnects. */
  readonly whole: boolean
}

/** Frames on a WebSocket of its own: texts of messages, and raw frames. */
export type SocketAttack = Common & {
  readonly kind: 'socket'
  readonly headers: readonly (readonly [string, string])[]
  readonly frames: readonly (string | Buffer)[]
  /** Milliseconds between two frames. */
  readonly pauseMs: number
}

/** Part of every document, so that an attack can be repeated with texts that are in no cache. */
export const NONCE = 'n00000000'

/** Returns the same attack with other digits in place of `NONCE`. */
export function again(attack: Attack, round: number): Attack {
  const other = `n${String(round).padStart(NONCE.length - 1, '0')}`
  const replaced = (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replaceAll(NONCE, other), 'latin1')
  if (attack.kind === 'http') return { ...attack, chunks: attack.chunks.map(replaced) }
  return {
    ...attack,
    frames: attack.frames.map((said) => (typeof said === 'string' ? said.replaceAll(NONCE, other) : said)),
  }
}
