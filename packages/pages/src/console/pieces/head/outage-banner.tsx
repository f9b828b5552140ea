import { useContext } from 'preact/hooks'
import { Glyph } from '../../../design/icons.tsx'
import type { SitePartsFragment } from '../../generated/graphql.ts'
import { hrefOf, useRoute } from '../../routes/route.ts'
import { Moment } from '../moments.tsx'
import { AttentionContext } from './attention.ts'

/** Says on every view, once, which sites the payments API fails, and what that means; shows nothing while none fails. */
export function OutageBanner() {
  const { outage = [], isOut = false } = useContext(AttentionContext)
  const view = useRoute()?.view.name
  const rejected = outage.filter(({ availability }) => availability === 'CREDENTIALS_REJECTED')
  const isRejected = rejected.length === outage.length
  const names = isOut ? 'every site' : outage.map(({ id }) => id).join(', ')
  const title = isRejected
    ? `The payments API rejects the credentials of ${names}`
    : `The payments API fails for ${names}`
  return (
    <>
      <p class="hidden-text" role="status">
        {outage.length > 0 && title}
      </p>
      {outage.length > 0 && (
        <section class="banner fault outage" aria-label="Outage">
          <Glyph name={isRejected ? 'quarantine' : 'fail'} />
          <div>
            <h2>{title}</h2>
            <p>
              <Observed sites={outage} /> New payments, refunds and balances fail meanwhile; webhooks are still
              received.
              {rejected.length > 0 && ' Check the API key in the provider’s dashboard and in the settings.'}
            </p>
          </div>
          {view !== 'health' && (
            <div class="actions">
              <a class="button" href={hrefOf('health')}>
                Open Health
              </a>
            </div>
          )}
        </section>
      )}
    </>
  )
}

function Observed({ sites }: { readonly sites: readonly SitePartsFragment[] }) {
  const [failed, all] = [total(sites, 'failedCount'), total(sites, 'count')]
  const last = sites
    .flatMap(({ lastAnswerAt }) => lastAnswerAt ?? [])
    .toSorted()
    .at(-1)
  return (
    <>
      {failed} of {all} calls of the last 15 minutes failed;{' '}
      {last === undefined ? (
        'none has succeeded since the start.'
      ) : (
        <>
          the last one succeeded <Moment at={last} />.
        </>
      )}
    </>
  )
}

function total(sites: readonly SitePartsFragment[], name: 'count' | 'failedCount'): number {
  return sites.reduce((sum, { calls }) => sum + calls[name], 0)
}
