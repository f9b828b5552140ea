import { hasScope } from '../../../access/caller.ts'
import type { ExportFormatName } from '../../../domain/exports/export-format.ts'
import type { ExportedPayers } from '../../../domain/exports/exported-payment.ts'
import { withoutNulls } from '../../arguments/filters.ts'
import type { MutationResolvers } from '../../generated.ts'
import { keyScopeOf } from '../../rights/key-holder.ts'
import { failureResult } from '../../views/results.ts'

export const createPaymentsExport: MutationResolvers['createPaymentsExport'] = async (
  _root,
  { input: { filter, format, includePayers } },
  { operations, caller },
) => {
  const payers: ExportedPayers = !includePayers ? 'absent' : hasScope(caller, 'payments:pii') ? 'shown' : 'masked'
  const outcome = operations.requestPaymentsExport({
    filter: withoutNulls(filter),
    format: format.toLowerCase() as ExportFormatName,
    payers,
    callerKey: keyScopeOf(caller),
    rightEndsAt: caller.kind === 'client' ? caller.expiresAt : 0,
  })
  if (outcome.kind !== 'done') return failureResult(outcome)
  return { __typename: 'PaymentsExport', ...outcome, payersMasked: payers === 'masked' }
}
