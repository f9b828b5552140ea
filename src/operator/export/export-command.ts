import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import {
  exportBounds,
  EXPORT_FORMATS,
  PaymentTotals,
  type ExportedPayment,
} from '../../domain/exports/export-format.ts'
import { PAYMENTS } from '../documents.ts'
import { type Ask, OperatorError, PAGE, pagesOf, plain } from '../operator-answers.ts'

type ExportOptions = {
  readonly format: 'csv' | 'ndjson'
  /** Bounds of the last change. */
  readonly from?: Date
  readonly before?: Date
  /** Phases; empty for every one. */
  readonly phase: readonly string[]
  readonly reference?: string
}

/**
 * Writes payments to `output` page by page, as fast as it takes them, and leaves it open. Throws `OperatorError` when the graph refuses a
 * page or the output is closed: what is written then lacks its end.
 */
export async function exportPayments(ask: Ask, command: ExportOptions, output: Writable): Promise<void> {
  try {
    await pipeline(Readable.from(pages(ask, command)), output, { end: false })
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError('The output was closed before the export was complete.')
  }
}

async function* pages(ask: Ask, command: ExportOptions): AsyncGenerator<string> {
  const { head, payment: line, end } = EXPORT_FORMATS[command.format]
  const totals = new PaymentTotals()
  const filter = filterOf(command, new Date())
  let text = head
  const read = async (after: string | null) => {
    const variables = { first: PAGE, after, filter }
    const { data, errors } = await ask(PAYMENTS, { variables, shape: paymentsAnswer })
    // A field that is null because of an error would look as if it were empty.
    if (errors[0] !== undefined) throw new OperatorError(`The export is incomplete: ${plain(errors[0].message)}`)
    return data.payments
  }
  for await (const { nodes } of pagesOf(read)) {
    for (const payment of nodes.map(lineOf)) {
      totals.add(payment)
      text += line(payment)
    }
    if (text !== '') yield text
    text = ''
  }
  yield end(totals.list())
}

function filterOf({ phase: phases, reference, ...asked }: ExportOptions, now: Date): Record<string, unknown> {
  const { from, before } = exportBounds({ from: asked.from ?? null, before: asked.before ?? null }, now)
  return {
    ...(from === null ? {} : { updatedFrom: from.toISOString() }),
    ...(before === null ? {} : { updatedBefore: before.toISOString() }),
    ...(phases.length === 0 ? {} : { phases }),
    ...(reference === undefined ? {} : { reference }),
  }
}

const amount = z.object({ value: z.string().regex(/^-?\d+(\.\d+)?$/) })

const payment = z.object({
  id: z.string(),
  reference: z.string().nullable(),
  site: z.string().nullable(),
  link: z
    .object({ id: z.string(), description: z.string(), owner: z.object({ id: z.string() }).nullable() })
    .nullable(),
  phase: z.string(),
  statusRaw: z.string(),
  methodRaw: z.string().nullable(),
  amount: amount.extend({ currency: z.string() }),
  total: amount.nullable(),
  paid: amount.nullable(),
  refunded: amount.nullable(),
  createdAt: z.string().nullable(),
  updatedAt: z.string(),
})

const paymentsAnswer = z.object({
  payments: z.object({
    nodes: z.array(payment),
    pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
  }),
})

/** Returns what a file tells of a payment; nothing about who has paid. */
function lineOf(node: z.output<typeof payment>): ExportedPayment {
  const { id, reference, site, link, phase, statusRaw, methodRaw, createdAt, updatedAt } = node
  return {
    day: createdAt?.slice(0, 10) ?? null,
    currency: node.amount.currency,
    method: methodRaw,
    amount: node.amount.value,
    total: node.total?.value ?? null,
    paid: node.paid?.value ?? null,
    refunded: node.refunded?.value ?? null,
    id,
    reference,
    site,
    link: link?.id ?? null,
    owner: link?.owner?.id ?? null,
    description: link?.description ?? null,
    phase,
    status: statusRaw,
    createdAt,
    updatedAt,
  }
}
