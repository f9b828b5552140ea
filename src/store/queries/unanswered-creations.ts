import { CREATE_GATEWAY_PAYMENT, type UnansweredGatewayCreation } from '../../domain/gateway/gateway-decisions.ts'
import type { UnansweredQuery } from '../command-store.ts'
import type { Db } from '../decide.ts'
import { toRequested } from '../rows/command-rows.ts'
import { toIso } from '../rows/read-plan-columns.ts'

/** See `CommandStore.unansweredGatewayCreations`. They are read from the index of commands by mutation and state. */
export async function unansweredGatewayCreations(
  db: Db,
  { limit, from, after }: UnansweredQuery,
): Promise<UnansweredGatewayCreation[]> {
  const rows = await db
    .selectFrom('commands')
    .innerJoin('command_refs', 'command_refs.ref', 'commands.ref')
    .leftJoin('gateway_payments', 'gateway_payments.ref', 'commands.ref')
    .select([
      'commands.id',
      'commands.sent_at',
      'command_refs.site',
      'command_refs.requested_json',
      'gateway_payments.id as payment_id',
    ])
    .where('commands.mutation', '=', CREATE_GATEWAY_PAYMENT)
    .where('commands.state', '=', 'UNKNOWN')
    .where('commands.sent_at', '>=', from)
    .where((where) => where.or([where('commands.sent_at', '>', from), where('commands.id', '>', after ?? '')]))
    .orderBy('commands.sent_at')
    .orderBy('commands.id')
    .limit(limit)
    .execute()
  return rows.map(({ id, sent_at, site, requested_json, payment_id }) => {
    const requested = toRequested(requested_json)
    return {
      orderId: requested?.orderId ?? null,
      amount: requested?.amount ?? null,
      currency: requested?.currency ?? null,
      description: requested?.description ?? null,
      operationId: id,
      site: site ?? '',
      paymentId: payment_id,
      requestedAt: toIso(sent_at),
    }
  })
}
