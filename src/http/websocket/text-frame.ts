/** The first byte of a text message in one frame. */
const FINAL_TEXT = 0x81
/** Length markers for lengths of two and of eight bytes. */
const TWO_BYTES = 126
const EIGHT_BYTES = 127

/**
 * Returns a server's text message as one frame (RFC 6455, section 5.2) in one buffer, so that it takes one write. `ws` would write
 * header and text separately.
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
