/** One thing that an attacker does, with everything that is needed to do it again. */
export type Attack = HttpAttack | SocketAttack

type Common = {
  /** The class of the attack, such as `doubled fragments`. */
  readonly name: string
  /** What the client says, for whoever reads a finding, and for the search for what it did not say. */
  readonly told: string
}

/** Bytes on a connection of their own. */
export type HttpAttack = Common & {
  readonly kind: 'http'
  /** The methods of the requests in these bytes, in their order: an answer to HEAD has no body. */
  readonly methods: readonly string[]
  readonly chunks: readonly Buffer[]
  /** Milliseconds between two chunks. */
  readonly pauseMs: number
  /** Whether every request is whole, so that each has to be answered. Of the others some are, and the client hangs up. */
  readonly whole: boolean
}

/** Frames on a WebSocket of their own: texts of messages, and frames as they are. */
export type SocketAttack = Common & {
  readonly kind: 'socket'
  readonly headers: readonly (readonly [string, string])[]
  readonly frames: readonly (string | Buffer)[]
  /** Milliseconds between two frames. */
  readonly pauseMs: number
}

/** Stands in every document, so that the same attack can be made again with texts that no cache knows. */
export const NONCE = 'n00000000'

/** The same attack with other digits in its documents. */
export function again(attack: Attack, round: number): Attack {
  const other = `n${String(round).padStart(NONCE.length - 1, '0')}`
  const replaced = (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replaceAll(NONCE, other), 'latin1')
  if (attack.kind === 'http') return { ...attack, chunks: attack.chunks.map(replaced) }
  return {
    ...attack,
    frames: attack.frames.map((said) => (typeof said === 'string' ? said.replaceAll(NONCE, other) : said)),
  }
}
