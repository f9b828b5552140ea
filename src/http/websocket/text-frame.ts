/** The first byte of a text message in one frame. */
const FINAL_TEXT = 0x81
/** What stands in the place of lengths that take two bytes, and eight. */
const TWO_BYTES = 126
const EIGHT_BYTES = 127

/**
 * A message of a server in one frame (RFC 6455, section 5.2): its head and its text in one buffer, which is one write of one piece.
 * `ws` makes two pieces of it, which have to be corked and gathered.
 */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const head = length < TWO_BYTES ? 2 : length < 2 ** 16 ? 4 : 10
  const frame = Buffer.allocUnsafe(head + length)
  frame[0] = FINAL_TEXT
  if (head === 2) frame[1] = length
  else if (head === 4) {
    frame[1] = TWO_BYTES
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = EIGHT_BYTES
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, head)
  return frame
}
