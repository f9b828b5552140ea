import { MessageType } from 'graphql-ws'

/** The first byte of a text message in one frame, and of a ping. */
const FINAL_TEXT = 0x81
const FINAL_PING = 0x89

/** A ping without a payload. */
export const PING: Buffer = Buffer.from([FINAL_PING, 0])

/** Length markers for lengths of two and of eight bytes. */
const TWO_BYTES = 126
const EIGHT_BYTES = 127

/**
 * Returns a server's text message as one frame (RFC 6455, section 5.2) in one buffer, so that it takes one write. `ws` would write
 * header and text separately.
 */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const frame = emptyFrame(length)
  frame.write(text, frame.length - length)
  return frame
}

/** Returns the message of a stream's answer as one frame. */
export function nextFrame(id: string, json: string): Buffer {
  const start = nextStart(id)
  const payload = bytesOf(json)
  const length = Buffer.byteLength(start) + payload.length + 1
  const frame = emptyFrame(length)
  const written = frame.write(start, frame.length - length)
  frame.set(payload, frame.length - length + written)
  frame[frame.length - 1] = CLOSING_BRACE
  return frame
}

const CLOSING_BRACE = 0x7d

/** Returns the message of an answer up to its JSON, which a brace follows. */
export function nextStart(id: string): string {
  return `{"id":${id},"type":"${MessageType.Next}","payload":`
}

let last = { json: '', bytes: Buffer.alloc(0) }

/** Returns the bytes of an answer, which are kept until the next one: many sockets get the same. */
function bytesOf(json: string): Buffer {
  if (json !== last.json) last = { json, bytes: Buffer.from(json) }
  return last.bytes
}

/** Returns a frame of which only the text, its last `length` bytes, is to be written. */
function emptyFrame(length: number): Buffer {
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
  return frame
}
