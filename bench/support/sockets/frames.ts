/** Opcodes of frames (RFC 6455, section 5.2). */
export const Opcode = { text: 1, close: 8, ping: 9, pong: 10 } as const

const FINAL = 0x80
const MASKED = 0x80
const NO_MASK = Buffer.alloc(4)

/**
 * Calls `onFrame` for each complete frame that a server has sent, from an offset on, with its opcode and the start and end of its payload.
 * Returns the offset of the incomplete rest. Throws on a fragment.
 */
export function readFrames(
  data: Buffer,
  offset: number,
  onFrame: (opcode: number, from: number, to: number) => void,
): number {
  let at = offset
  for (;;) {
    if (data.length < at + 2) return at
    const first = data[at] ?? 0
    if ((first & FINAL) === 0) throw new Error('A message came in fragments.')
    const short = (data[at + 1] ?? 0) & 0x7f
    const from = at + (short < 126 ? 2 : short === 126 ? 4 : 10)
    if (data.length < from) return at
    const length =
      short < 126 ? short : short === 126 ? data.readUInt16BE(at + 2) : Number(data.readBigUInt64BE(at + 2))
    if (data.length < from + length) return at
    onFrame(first & 0x0f, from, from + length)
    at = from + length
  }
}

/** Returns a frame as a client writes it, masked with zeros. The payload has at most 64 KiB. */
export function writeFrame(opcode: number, payload: Buffer): Buffer {
  const length =
    payload.length < 126
      ? Buffer.from([MASKED | payload.length])
      : Buffer.from([MASKED | 126, payload.length >> 8, payload.length & 0xff])
  return Buffer.concat([Buffer.from([FINAL | opcode]), length, NO_MASK, payload])
}
