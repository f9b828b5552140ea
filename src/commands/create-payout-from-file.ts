import { MOST_FILE_PROBLEMS, type PayoutFileRequest, readPayoutFile } from '../domain/payouts/payout-file.ts'
import { createPayout, type PayoutOptions, type PayoutOutcome } from './payouts.ts'

/**
 * Pays out to the payees of a file, as one batch and by the same rules as `createPayout`. Nothing is sent if anything is wrong with one line. The
 * payments API also takes a file, but no page names its columns: it is sent the batch itself (gap sheet, section 20).
 */
export async function createPayoutFromFile(options: PayoutOptions, asked: PayoutFileRequest): Promise<PayoutOutcome> {
  const { file, ...batch } = asked
  const read = readPayoutFile(file)
  if ('problems' in read) return { kind: 'invalid-input', problems: read.problems }
  const { transactions, placed } = read
  const outcome = await createPayout(options, { ...batch, transactions }, 'createPayoutFromFile')
  if (outcome.kind !== 'invalid-input') return outcome
  return { ...outcome, problems: outcome.problems.slice(0, MOST_FILE_PROBLEMS).map(placed) }
}
