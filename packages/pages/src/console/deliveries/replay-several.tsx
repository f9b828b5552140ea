import { useMutation } from '@urql/preact'
import { useState } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'
import {
  type PaymentWebhookDeliveryFilter,
  ReplayDeliveriesDocument,
  type ReplayDeliveriesMutation,
} from '../generated/graphql.ts'
import { documentOf, FailureNotice, RequestFailure, useSingle } from '../pieces/answers.tsx'
import { goTo, hrefOf } from '../routes/route.ts'
import { useScope } from '../session/session.ts'

/** What the id of a replay of several deliveries begins with in a URL. */
export const REPLAY = 'replay-'

/** Starts replays of the deliveries of a filter, and shows each; its URL keeps the filter. Returns the failure of the last one. */
export function useReplay(params: URLSearchParams, filter: PaymentWebhookDeliveryFilter) {
  const [{ error }, execute] = useMutation(documentOf(ReplayDeliveriesDocument))
  const [result, setResult] = useState<ReplayDeliveriesMutation['replayWebhookDeliveries']>(null)
  const [isBusy, replay] = useSingle(async (apply: boolean) => {
    const { data } = await execute({ input: { filter, apply } })
    const said = data?.replayWebhookDeliveries ?? null
    setResult(said)
    if (said?.__typename !== 'ReplayWebhookDeliveriesSuccess') return
    goTo(hrefOf('deliveries', `${REPLAY}${said.replay.id}`, { ...Object.fromEntries(params), after: null }))
  })
  const failure = (
    <>
      <RequestFailure error={error} />
      {result !== null && 'code' in result && <FailureNotice failure={result} />}
    </>
  )
  return { isBusy, replay, failure }
}

/** Returns the button that plans the replay of the deliveries of a list. */
export function usePlan(params: URLSearchParams, filter: PaymentWebhookDeliveryFilter) {
  const { isBusy, replay, failure } = useReplay(params, filter)
  const mayReplay = useScope('webhooks:replay')
  const button = (
    <button
      class="button"
      type="button"
      disabled={isBusy}
      aria-disabled={!mayReplay}
      title={mayReplay ? undefined : 'The token lacks webhooks:replay.'}
      onClick={() => mayReplay && replay(false)}
    >
      <Icon name="play" />
      <span>Replay several …</span>
    </button>
  )
  return { button, failure }
}
