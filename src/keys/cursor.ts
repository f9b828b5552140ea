import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto'

/** The list of a cursor; the cursor is invalid in every other list. */
export type CursorKind =
  | 'log'
  | 'links'
  | 'payments'
  | 'deliveries'
  | 'agreements'
  | 'erasures'
  | 'payouts'
  | 'gateway-payments'
  | 'imports'
  | 'by-days'
  | 'replays'

/** A list; some have several orders. */
export type PlaceKind = Exclude<CursorKind, 'log' | 'by-days'>

/** Encodes and decodes the cursors of one log. */
export type CursorCodec = {
  /**
   * Returns the cursor of a position (0 to 2^53 - 1): 22 characters, always the same for the same position. Throws `RangeError` for any
   * other position.
   */
  encode(kind: CursorKind, position: number): string
  /** Returns the position; null if the cursor is forged, altered, or of another kind or log. */
  decode(kind: CursorKind, cursor: string): number | null
  /**
   * The same for a list with several orders: by number, or by one of two instants (milliseconds since the epoch) and number. With an instant, numbers
   * are at most 2^40 - 1, and instants between -2^47 + 1 and 2^47 - 1. Throws `RangeError` otherwise.
   */
  encodePlace(kind: PlaceKind, place: CursorPlace): string
  decodePlace(kind: PlaceKind, cursor: string): CursorPlace | null
}

export type CursorPlace = {
  readonly number: number
  readonly at: number | null
  /** Which instant; null without one. */
  readonly order: 'CREATED' | 'UPDATED' | null
}

const KIND_BYTES: Readonly<Record<CursorKind, number>> = {
  log: 1,
  links: 2,
  payments: 3,
  deliveries: 4,
  agreements: 5,
  erasures: 6,
  payouts: 7,
  'gateway-payments': 8,
  imports: 9,
  'by-days': 10,
  replays: 11,
}
const SHAPE = /^[\w-]{22}$/
const KEY_BYTES = 32
const BLOCK_BYTES = 16
const TAG_BYTES = 8
const TAG_START = BLOCK_BYTES - TAG_BYTES
const LOW = 2 ** 32

/** Flags in the kind byte of a place with an instant. */
const BY_INSTANT = { CREATED: 0x80, UPDATED: 0xc0 } as const
const AT_START = 1
const NUMBER_START = 7
const SHORT_TAG_START = 12

/**
 * Creates the codec of a log's cursors. A cursor is one block: kind (1 byte), position (7 bytes) and an 8-byte tag of the log, encrypted
 * with AES-256. A block cipher cannot be distinguished from a random permutation, so a forged text decrypts to the right tag and kind once
 * in 2^72 tries. Therefore 16 bytes are both opaque and authentic. With a single block the mode of operation does not matter.
 * The key is derived from the random id of the log, not from a signing key: a cursor stays the same text when signing keys are replaced, so
 * that clients find no gap between the cursors before and after. `branches`: see `Store.branches`. The tag of a position also names the branch on which it was written.
 */
export function createCursorCodec(logId: string, branches: () => readonly number[] = () => []): CursorCodec {
  const tag = tagOf(logId)
  const branchTags: Buffer[] = []
  const branchTag = (branch: number): Buffer =>
    (branchTags[branch] ??= branch === 0 ? tag : tagOf(`${logId} ${branch}`))
  const key = Buffer.from(hkdfSync('sha256', logId, 'payments-subgraph/1', 'cursor', KEY_BYTES))
  // One of each is used for all blocks, because creating one costs more than using it. Without padding the blocks are independent.
  const encipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  const decodeAs = <Place>(cursor: string, read: (block: Buffer) => Place | null): Place | null => {
    const block = blockFrom(cursor)
    return block === null ? null : read(decipher.update(block))
  }
  const textOf = (block: Buffer): string => encipher.update(block).toString('base64url')
  return {
    encode: (kind, position) =>
      textOf(blockOf(kind, position, kind === 'log' ? branchTag(branchOf(position, branches())) : tag)),
    decode: (kind, cursor) =>
      decodeAs(cursor, (block) =>
        kind === 'log' ? positionOnBranch(block, branches(), branchTag) : positionIn(block, kind, tag),
      ),
    encodePlace: (kind, { number, at, order }) =>
      textOf(
        at === null || order === null ? blockOf(kind, number, tag) : placeBlockOf(kind, { number, at, order }, tag),
      ),
    decodePlace: (kind, cursor) => decodeAs(cursor, (block) => placeIn(block, kind, tag)),
  }
}

function blockOf(kind: CursorKind, position: number, tag: Buffer): Buffer {
  if (!Number.isSafeInteger(position) || position < 0)
    throw new RangeError('A cursor needs a position from 0 to 2^53 - 1.')
  const block = Buffer.allocUnsafe(BLOCK_BYTES)
  block.writeUInt8(KIND_BYTES[kind], 0)
  block.writeUIntBE(Math.floor(position / LOW), 1, 3)
  block.writeUInt32BE(position % LOW, 4)
  tag.copy(block, TAG_START)
  return block
}

function positionIn(block: Buffer, kind: CursorKind, tag: Buffer): number | null {
  if (block.readUInt8(0) !== KIND_BYTES[kind] || block.compare(tag, 0, TAG_BYTES, TAG_START) !== 0) return null
  const position = block.readUIntBE(1, 3) * LOW + block.readUInt32BE(4)
  return Number.isSafeInteger(position) ? position : null
}

/** Returns the branch on which a position was written: its cursor is the same on all later branches that have it. */
function branchOf(position: number, branches: readonly number[]): number {
  return 1 + branches.findLastIndex((last) => position > last)
}

/** Returns the position of a cursor of the log; null if its event is on a branch that the log has left. */
function positionOnBranch(
  block: Buffer,
  branches: readonly number[],
  tagOfBranch: (branch: number) => Buffer,
): number | null {
  for (let branch = branches.length; branch >= 0; branch -= 1) {
    const position = positionIn(block, 'log', tagOfBranch(branch))
    if (position !== null) return branchOf(position, branches) === branch ? position : null
  }
  return null
}

function tagOf(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest().subarray(0, TAG_BYTES)
}

/**
 * Returns the block of a place with an instant: kind (1 byte), instant (6), number (5), and a 4-byte tag of the log. A forged text is
 * accepted once in 2^40 tries, and then only selects the place where a list continues, which its reader may read anyway.
 */
function placeBlockOf(
  kind: PlaceKind,
  { number, at, order }: { number: number; at: number; order: keyof typeof BY_INSTANT },
  tag: Buffer,
): Buffer {
  if (!Number.isSafeInteger(number) || number < 0 || number >= 2 ** 40 || !(Math.abs(at) < 2 ** 47))
    throw new RangeError('A cursor needs a number from 0 to 2^40 - 1, and an instant from -2^47 + 1 to 2^47 - 1.')
  const block = Buffer.allocUnsafe(BLOCK_BYTES)
  block.writeUInt8(KIND_BYTES[kind] | BY_INSTANT[order], 0)
  block.writeIntBE(at, AT_START, NUMBER_START - AT_START)
  block.writeUIntBE(number, NUMBER_START, SHORT_TAG_START - NUMBER_START)
  tag.copy(block, SHORT_TAG_START, 0, BLOCK_BYTES - SHORT_TAG_START)
  return block
}

function placeIn(block: Buffer, kind: PlaceKind, tag: Buffer): CursorPlace | null {
  for (const order of ['CREATED', 'UPDATED'] as const) {
    if (block.readUInt8(0) !== (KIND_BYTES[kind] | BY_INSTANT[order])) continue
    if (block.compare(tag, 0, BLOCK_BYTES - SHORT_TAG_START, SHORT_TAG_START) !== 0) return null
    const at = block.readIntBE(AT_START, NUMBER_START - AT_START)
    return { number: block.readUIntBE(NUMBER_START, SHORT_TAG_START - NUMBER_START), at, order }
  }
  const number = positionIn(block, kind, tag)
  return number === null ? null : { number, at: null, order: null }
}

/**
 * Returns the bytes of a cursor; null if the text is not one. 22 characters hold four bits more than a block; a text in which they are set
 * is rejected.
 */
function blockFrom(cursor: string): Buffer | null {
  if (!SHAPE.test(cursor)) return null
  const block = Buffer.from(cursor, 'base64url')
  return block.toString('base64url') === cursor ? block : null
}
