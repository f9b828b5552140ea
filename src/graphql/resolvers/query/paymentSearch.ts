import { hasScope } from '../../../access/caller.ts'
import { TEXT, textProblem } from '../../../domain/field-problems.ts'
import { searchedText } from '../../../domain/payments/searched-text.ts'
import { SEARCH_FIELDS } from '../../../store/store.ts'
import { pageSize } from '../../arguments/paging.ts'
import { badArgument } from '../../error-formatter.ts'
import type { QueryResolvers } from '../../generated.ts'

const FIELDS_OF_PAYERS: ReadonlySet<string> = new Set(['PAYER_NAME', 'PAYER_EMAIL'])

export const paymentSearch: QueryResolvers['paymentSearch'] = async (_root, { text, first }, { store, caller }) => {
  const limit = pageSize(first)
  const problem = textProblem(text, TEXT, ['text'])
  if (problem !== null) throw badArgument('text', problem.message)
  // What a search finds says what a payer is called, also to a caller who does not read the name itself.
  const searched = SEARCH_FIELDS.filter((field) => !FIELDS_OF_PAYERS.has(field) || hasScope(caller, 'payments:pii'))
  const { matches, more } = await store.payments.search({ text: searchedText(text), fields: searched, limit })
  return {
    searched,
    matches: matches.map(({ payment, link, fields }) => ({ payment, link, fields: [...fields] })),
    hasMore: more,
  }
}
