import { z } from 'zod'
import type { ExportedPayment } from '../../domain/exports/exported-payment.ts'

const amount = z.object({ value: z.string().regex(/^-?\d+(\.\d+)?$/) })

const payment = z.object({
  id: z.string(),
  reference: z.string().nullable(),
  site: z.string().nullable(),
  link: z.object({ id: z.string(), description: z.string(), ownerId: z.string().nullable() }).nullable(),
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

export const paymentsAnswer = z.object({
  payments: z.object({
    nodes: z.array(payment),
    pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
  }),
})

/** Returns what a file tells of a payment; nothing about who has paid. */
export function lineOf(node: z.output<typeof payment>): ExportedPayment {
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
    owner: link?.ownerId ?? null,
    description: link?.description ?? null,
    phase,
    status: statusRaw,
    createdAt,
    updatedAt,
  }
}
