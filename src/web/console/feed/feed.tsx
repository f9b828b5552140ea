import { Choices, chosenOf, FilterForm } from '../pieces/filter-form.tsx'
import { Page } from '../pieces/page.tsx'
import type { Route } from '../routes/route.ts'
import { EVENT_KINDS, MOST_EVENTS, shownOf } from './feed-state.ts'
import { FeedTable } from './feed-table.tsx'
import type { LiveFeed } from './use-feed.ts'

type Props = { readonly route: Route; readonly feed: LiveFeed }

/** The newest events, then each as it happens, newest first, with filters, pause and resume. */
export function Feed({ route, feed }: Props) {
  const { params } = route
  const rows = shownOf(feed.shown, chosenOf(params, 'kind', EVENT_KINDS))
  return (
    <Page title="Live events">
      <FilterForm route={route} label="Events" isTyped={false}>
        <Choices name="kind" label="Kind" params={params} values={EVENT_KINDS} />
      </FilterForm>
      <div class="actions">
        <button type="button" onClick={feed.isPaused ? feed.goOn : feed.pause}>
          {feed.isPaused ? `Continue (${feed.held} held back)` : 'Pause'}
        </button>
        <button type="button" onClick={feed.clear}>
          Empty the list
        </button>
      </div>
      {feed.problem !== null && (
        <div class="notice bad" role="alert">
          <p>Events do not come in any more: {feed.problem}</p>
          <button type="button" onClick={feed.tryAgain}>
            Try again
          </button>
        </div>
      )}
      {feed.hasGap && (
        <p class="notice warn" role="status">
          The log is not kept as far back as this list: events before the newest ones may be missing.
        </p>
      )}
      {rows.length === 0 ? (
        <p class="quiet">
          {feed.connection === 'connecting'
            ? 'Reading events …'
            : 'There are no events here. New ones are shown at once.'}
        </p>
      ) : (
        <FeedTable rows={rows} />
      )}
      {rows.length >= MOST_EVENTS && <p class="quiet">The newest {MOST_EVENTS} are shown.</p>}
    </Page>
  )
}
