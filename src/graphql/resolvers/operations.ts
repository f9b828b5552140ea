import { hasScope } from '../../access/caller.ts'
import { countErasable, hashesOf } from '../../commands/operator-commands.ts'
import { replayProgress } from '../../domain/bulk-replay.ts'
import { quarantineReason } from '../../domain/delivery.ts'
import type { ExportFormatName, ExportedPayers } from '../../domain/exports/export-format.ts'
import { lastComparedDay } from '../../domain/imports/compared-days.ts'
import { importNumber, progressOf } from '../../domain/imports/import-plan.ts'
import { reconciledTotals } from '../../domain/imports/import-report.ts'
import { normaliseFilter } from '../../domain/list-filter.ts'
import type { DeliveryFilter, DueReads, RefKind } from '../../store/port.ts'
import { listOf, withoutNulls, nodeIdOf } from '../arguments/arguments.ts'
import type { Context } from '../context.ts'
import type { PaymentWebhookDeliveryFilter, PaymentWebhookKind } from '../generated.ts'
import type { AreaResolvers } from '../models.ts'
import { subjectOf, keyScopeOf, mayReadBody, visibleAgreement } from '../rights/rights.ts'
import { failureResult, presentable } from '../views/views.ts'

export const operationsResolvers = {
  Query: {
    paymentsHealth: (_root, _args, { health }) => health,
    signingKeys: (_root, _args, context) => context.signingKeys.report(),
    erasablePayers: (_root, args, { store }) => countErasable(store, args.of),
    payerErasures: (_root, args, context) => {
      const filter = args.of == null ? {} : { valueHashes: hashesOf(context.keys, args.of) }
      return listOf('erasures', args, context, (page) => context.store.erasures.page(page, filter))
    },
  },
  Mutation: {
    erasePayer: async (_root, { input }, { operations, caller }) => {
      const outcome = await operations.erasePayer(input, subjectOf(caller))
      return outcome.kind === 'done'
        ? { __typename: 'ErasePayerSuccess', erasure: outcome.erasure }
        : failureResult(outcome)
    },
  },
  PaymentsHealth: {
    serverTime: (_health, _args, { clock }) => clock(),
    sites: (health) => [...health.sites()],
    reads: (health) => health.reads(),
    deliveries: (health) => health.deliveries(),
    reader: (health) => health.reader(),
    streams: (health) => health.streams(),
    webhooks: (health) => health.webhooks(),
    node: (health) => health.node(),
  },
  PaymentsReadBacklog: {
    oldestUnconfirmedSince: ({ unconfirmedSince }) => unconfirmedSince,
    due: ({ due }) => dueByUrgency(due),
  },
  PaymentSigningKey: {
    removable: ({ state, dependents }) => state === 'VERIFIES' && !dependents.some(({ needed }) => needed),
  },
  PayerErasure: {
    id: ({ number }) => String(number),
    by: ({ kind }) => kind,
    state: ({ doneAt }) => (doneAt === null ? 'RUNNING' : 'DONE'),
  },
} satisfies AreaResolvers

const URGENCIES = ['doubt', 'expiry', 'poll'] as const

/** Adds the due reads of all sites up, the most urgent first. */
function dueByUrgency(due: readonly DueReads[]) {
  return URGENCIES.map((readClass) => ({
    urgency: readClass.toUpperCase() as Uppercase<typeof readClass>,
    count: due.reduce((sum, reads) => sum + (reads.readClass === readClass ? reads.count : 0), 0),
  }))
}

export const reconciliationResolvers = {
  Query: {
    paymentImport: async (_root, { id }, { store }) => {
      const number = importNumber(id)
      return number === null ? null : store.imports.byNumber(number)
    },
    paymentImports: (_root, args, context) => {
      const filter = args.daily == null ? {} : { daily: args.daily }
      return listOf('imports', args, context, (page) => context.store.imports.page(page, filter))
    },
    reconciliationReport: async (_root, { day }, { store, clock }) => {
      const from = day == null ? lastComparedDay(clock().getTime()) : Date.parse(day)
      const { rows } = await store.imports.page({ limit: 1, before: null }, { daily: true, from })
      return rows[0] ?? null
    },
  },
  Mutation: {
    importPayments: async (_root, { input }, { operations, caller }) => {
      const outcome = await operations.importPayments(input, subjectOf(caller))
      if (outcome.kind !== 'done') return failureResult(outcome)
      return { __typename: 'ImportPaymentsSuccess', import: outcome.import, replayed: outcome.replayed }
    },
    cancelPaymentImport: async (_root, { input }, { operations }) => {
      const outcome = await operations.cancelImport(input.importId)
      return outcome.kind === 'done'
        ? { __typename: 'CancelPaymentImportSuccess', import: outcome.import }
        : failureResult(outcome)
    },
    createPaymentsExport: async (_root, { input: { filter, format, includePayers } }, { operations, caller }) => {
      const payers: ExportedPayers = !includePayers ? 'absent' : hasScope(caller, 'payments:pii') ? 'shown' : 'masked'
      const outcome = operations.requestPaymentsExport({
        filter: normaliseFilter(filter),
        format: format.toLowerCase() as ExportFormatName,
        payers,
        callerKey: keyScopeOf(caller),
        rightEndsAt: caller.kind === 'client' ? caller.expiresAt : 0,
      })
      if (outcome.kind !== 'done') return failureResult(outcome)
      return { __typename: 'PaymentsExport', ...outcome, payersMasked: payers === 'masked' }
    },
  },
  PaymentImport: {
    id: ({ number }) => String(number),
    nodeId: ({ number }) => nodeIdOf('PaymentImport', String(number)),
    from: ({ plan }) => new Date(plan.from),
    to: ({ plan }) => new Date(plan.to),
    state: ({ doneAt }) => (doneAt === null ? 'RUNNING' : 'DONE'),
    progress: progressOf,
    requestedAt: ({ requestedAt }) => new Date(requestedAt),
    doneAt: ({ doneAt }) => (doneAt === null ? null : new Date(doneAt)),
    lists: ({ reports }) => [...reports],
    totals: ({ reports }) => reconciledTotals(reports),
  },
} satisfies AreaResolvers

const REF_KINDS: Readonly<Record<PaymentWebhookKind, readonly (RefKind | null)[]>> = {
  PAYMENT: [null, 'link', 'payin'],
  AGREEMENT: ['agreement'],
  PAYOUT: ['payout'],
  GATEWAY_PAYMENT: ['gateway-payment'],
  IDENTITY_CHECK: ['identity-check'],
}

function deliveryFilter(given: PaymentWebhookDeliveryFilter | null | undefined): DeliveryFilter {
  const { kinds, ...filter } = withoutNulls(given)
  return { ...filter, ...(kinds === undefined ? {} : { refKinds: kinds.flatMap((kind) => REF_KINDS[kind]) }) }
}

/** The payments API has no read that would end a doubt about a gateway payment, so none is waited for. */
async function isInDoubt(id: string, { loaders }: Pick<Context, 'loaders'>): Promise<boolean> {
  const known = (await loaders.paymentById.load(id)) ?? (await loaders.agreementById.load(id))
  const subject = known ?? (await loaders.recordedPayoutById.load(id))?.payout
  return subject !== undefined && 'provisional' in subject && subject.provisional
}

export const webhookDeliveriesResolvers = {
  Query: {
    webhookDeliveries: (_root, args, context) =>
      listOf('deliveries', args, context, (page) => context.store.inbox.page(page, deliveryFilter(args.filter))),
    webhookDelivery: (_root, { id }, { loaders }) => loaders.deliveryById.load(id),
    webhookReplays: (_root, args, context) => listOf('replays', args, context, context.store.replays.page),
    webhookReplay: async (_root, { id }, { store }) => {
      const number = importNumber(id)
      return number === null ? null : store.replays.byNumber(number)
    },
  },
  Mutation: {
    replayWebhookDeliveries: async (_root, { input }, { operations, caller }) => {
      const request = { filter: deliveryFilter(input.filter), apply: input.apply }
      const outcome = await operations.replayDeliveries(request, subjectOf(caller))
      if (outcome.kind !== 'done') return failureResult(outcome)
      return { __typename: 'ReplayWebhookDeliveriesSuccess', replay: outcome.replay, replayed: outcome.replayed }
    },
    cancelWebhookReplay: async (_root, { input }, { operations }) => {
      const outcome = await operations.cancelReplay(input.replayId)
      return outcome.kind === 'done'
        ? { __typename: 'CancelWebhookReplaySuccess', replay: outcome.replay }
        : failureResult(outcome)
    },
    replayWebhookDelivery: async (_root, { input }, { operations, loaders }) => {
      const outcome = await operations.replayDelivery(input)
      if (outcome.kind !== 'done') return failureResult(outcome)
      const delivery = await loaders.deliveryById.load(input.deliveryId)
      if (delivery === null) throw new Error('A delivery that was replayed is gone.')
      return {
        __typename: 'ReplayWebhookDeliverySuccess',
        applied: outcome.applied,
        dispositionBefore: outcome.before,
        dispositionAfter: outcome.after,
        readRequested: outcome.readDue,
        statusBefore: outcome.statusBefore,
        statusAfter: outcome.statusAfter,
        delivery,
      }
    },
  },
  PaymentWebhookReplay: {
    id: ({ number }) => String(number),
    state: ({ doneAt }) => (doneAt === null ? 'RUNNING' : 'DONE'),
    progress: replayProgress,
    requestedAt: ({ requestedAt }) => new Date(requestedAt),
    doneAt: ({ doneAt }) => (doneAt === null ? null : new Date(doneAt)),
    matched: ({ report }) => report.matched,
    changed: ({ report }) => report.changed,
    unchanged: ({ report }) => report.unchanged,
    awaitingRead: ({ report }) => report.awaitingRead,
    notReplayable: ({ report }) => report.refused,
    failed: ({ report }) => report.failed,
    results: ({ report }) => [...report.results],
  },
  PaymentWebhookReplayResult: {
    dispositionBefore: ({ before }) => before,
    dispositionAfter: ({ after }) => after,
    delivery: ({ deliveryId }, _args, { loaders }) => loaders.deliveryById.load(deliveryId),
  },
  PaymentWebhookDelivery: {
    nodeId: ({ id }) => nodeIdOf('PaymentWebhookDelivery', id),
    quarantineReason: (delivery) => quarantineReason(delivery),
    needsAttention: async ({ disposition, subjectId }, _args, context) =>
      disposition === 'QUARANTINED' ||
      (disposition === 'DOUBTFUL' && subjectId !== null && (await isInDoubt(subjectId, context))),
    link: ({ ref }, _args, { loaders }) => (ref === null ? null : loaders.linkByRef.load(ref)),
    payment: async ({ subjectId }, _args, { loaders }) =>
      subjectId === null ? null : presentable(await loaders.paymentById.load(subjectId)),
    agreement: async ({ subjectId }, _args, context) =>
      subjectId === null ? null : visibleAgreement(context, await context.loaders.agreementById.load(subjectId)),
    payout: ({ subjectId }, _args, { caller, loaders }) =>
      subjectId === null || !hasScope(caller, 'payouts:read') ? null : loaders.recordedPayoutById.load(subjectId),
    gatewayPayment: ({ subjectId }, _args, { loaders }) =>
      subjectId === null ? null : loaders.gatewayPaymentById.load(subjectId),
    body: async ({ ref, body }, _args, context) => (body !== null && (await mayReadBody(context, ref)) ? body : null),
    event: (delivery, _args, { loaders }) =>
      delivery.eventId === null ? null : loaders.eventById.load(delivery.eventId),
  },
} satisfies AreaResolvers
