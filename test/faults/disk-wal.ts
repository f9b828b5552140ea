const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

/**
 * Returns the end of the last commit that lies completely before an offset of a write-ahead log; 0 if there is none. SQLite reads a damaged
 * log up to there: a frame counts only if every frame before it is valid, and a transaction only with its commit. Source:
 * https://www.sqlite.org/fileformat2.html, section 4.1.
 */
export function endOfLastCommit(wal: Buffer, offset: number): number {
  const pageSize = wal.readUInt32BE(8)
  const salts = wal.subarray(16, 24)
  let end = 0
  for (let start = HEADER_BYTES; start + FRAME_HEADER_BYTES + pageSize <= Math.min(offset, wal.length);) {
    const isOfThisLog = wal.subarray(start + 8, start + 16).equals(salts)
    if (!isOfThisLog) break
    const pagesAfterCommit = wal.readUInt32BE(start + 4)
    start += FRAME_HEADER_BYTES + pageSize
    if (pagesAfterCommit > 0) end = start
  }
  return end
}
