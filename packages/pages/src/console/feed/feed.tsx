import { Component } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'
import { FilterForm, TextChip } from '../pieces/filter-form.tsx'
import { itemOf } from '../pieces/history.tsx'
import type { FeedEvent } from '../pieces/log-changes.ts'
import { Moment, timeText } from '../pieces/moments.tsx'
import { Banner, Empty, Page, Skeleton } from '../pieces/page.tsx'
import { Timeline } from '../pieces/timeline.tsx'
import { Amount, Marked } from '../pieces/values.tsx'
import { goTo, hrefOf, type Route } from '../routes/route.ts'
import { type FeedSubject, GROUPS, lookOfSubject, namedOf, subjectsOf, viewsOf } from './subjects.ts'
import type { LiveFeed } from './use-feed.ts'

type Props = { readonly route: Route; readonly feed: LiveFeed }

/** Maximum number of subjects that are shown. */
const MOST = 200

/** The newest events by subject, and each as it happens. While somebody reads the list, new ones wait behind a button in its head. */
export function Feed({ route, feed }: Props) {
  const { shown, pausedAt, waiting, connection, problem } = feed
  const kind = route.params.get('kind')
  const text = route.params.get('q')?.toLowerCase() ?? null
  const found = useMemo(() => shown.filter((event) => isFound(event, kind, text)), [shown, kind, text])
  const subjects = useMemo(() => subjectsOf(found), [found])
  const list = useHolding(feed)
  return (
    <Page title="Live events" actions={<PauseButton feed={feed} />}>
      <FilterForm route={route} label="Events">
        <KindChips route={route} events={shown} />
        <TextChip name="q" label="Reference or id" params={route.params} />
      </FilterForm>
      {problem !== null && (
        <Banner
          tone="fault"
          glyph="fail"
          title="New events are not received"
          actions={
            <button class="button" type="button" onClick={feed.tryAgain}>
              Try again
            </button>
          }
        >
          <p>{problem}</p>
        </Banner>
      )}
      {feed.hasGap && (
        <Banner tone="look" glyph="doubt" title="Some events may be missing">
          <p>
            The server no longer keeps the events after the last one of this list. The lists of payments are complete.
          </p>
        </Banner>
      )}
      <section class="card" aria-labelledby="by-subject" ref={list}>
        <header class="stick">
          <h2 id="by-subject">By subject</h2>
          <span class="sub">
            {counted(found.length, 'event')} on {counted(subjects.length, 'subject')}
            {pausedAt !== null && `, paused at ${timeText(Date.parse(pausedAt))}`}
          </span>
          {waiting > 0 && (
            <button class="new-pill push" type="button" onClick={feed.show}>
              <Icon name="up" />
              {counted(waiting, 'new event')}
            </button>
          )}
        </header>
        {subjects.length === 0 ? (
          connection === 'connecting' ? (
            <Skeleton what="events" />
          ) : (
            <Empty title="There are no events here.">
              <p>New events appear here as they are recorded.</p>
            </Empty>
          )
        ) : (
          <ul class="feed">
            {subjects.slice(0, MOST).map((subject) => (
              <SubjectRow key={subject.key} subject={subject} />
            ))}
          </ul>
        )}
      </section>
      {subjects.length > MOST && <p class="note">The newest {MOST} subjects are shown.</p>}
    </Page>
  )
}

function isFound(event: FeedEvent, kind: string | null, text: string | null): boolean {
  const [, includes] = GROUPS.find(([name]) => name === kind) ?? ['', () => true]
  const { reference, paymentId, linkId, agreementId, payoutId, gatewayPaymentId } = event
  const names = [reference, paymentId, linkId, agreementId, payoutId, gatewayPaymentId]
  return includes(event) && (text === null || names.some((name) => name?.toLowerCase().startsWith(text)))
}

/** Lets new events wait while somebody reads: the list is scrolled, the pointer or the focus is in it, or a subject is open. */
function useHolding(feed: LiveFeed) {
  const list = useRef<HTMLElement>(null)
  const now = useRef(feed)
  now.current = feed
  useEffect(() => {
    const look = () => {
      const isRead = window.scrollY > 0 || list.current?.matches(':hover, :focus-within, :has(details[open])') === true
      if (isRead) now.current.hold()
      else now.current.release()
    }
    const events = ['scroll', 'pointerover', 'pointerout', 'focusin', 'focusout', 'toggle'] as const
    // The focus has left an element only after its event.
    const lookSoon = () => queueMicrotask(look)
    for (const name of events) document.addEventListener(name, lookSoon, { capture: true, passive: true })
    return () => {
      for (const name of events) document.removeEventListener(name, lookSoon, { capture: true })
      now.current.release()
    }
  }, [])
  return list
}

function PauseButton({ feed: { pausedAt, pause, goOn } }: { readonly feed: LiveFeed }) {
  const isPaused = pausedAt !== null
  return (
    <button
      class={isPaused ? 'button primary' : 'button'}
      type="button"
      data-key=" "
      aria-pressed={isPaused}
      onClick={isPaused ? goOn : pause}
    >
      <Icon name={isPaused ? 'play' : 'pause'} />
      <span>{isPaused ? 'Resume' : 'Pause'}</span>
      <kbd aria-hidden="true">Space</kbd>
    </button>
  )
}

/** A chip for each kind of events that there are, with their number. */
function KindChips({ route, events }: { readonly route: Route; readonly events: readonly FeedEvent[] }) {
  const kind = route.params.get('kind')
  const others = { ...Object.fromEntries(route.params), kind: null }
  const groups = GROUPS.map(([name, includes]) => [name, events.filter(includes).length] as const)
  return (
    <>
      {kind !== null && <input type="hidden" name="kind" value={kind} />}
      {[['All', events.length] as const, ...groups.filter(([name, count]) => count > 0 || name === kind)].map(
        ([name, count]) => {
          const value = name === 'All' ? null : name
          return (
            <span class="chip" key={name}>
              <button
                type="button"
                aria-pressed={kind === value}
                onClick={() => goTo(hrefOf('feed', null, { ...others, kind: value }))}
              >
                {name} <span class="faint figure">{count}</span>
              </button>
            </span>
          )
        },
      )}
    </>
  )
}

type RowProps = { readonly subject: FeedSubject }

/** A subject with its newest event; it opens to show them all. It is drawn again only when it has a new event. */
class SubjectRow extends Component<RowProps, { readonly isOpen: boolean }> {
  override state = { isOpen: false }

  override shouldComponentUpdate({ subject: { events } }: RowProps, { isOpen }: { readonly isOpen: boolean }): boolean {
    const { events: last } = this.props.subject
    return events[0] !== last[0] || events.length !== last.length || isOpen !== this.state.isOpen
  }

  override render({ subject }: RowProps, { isOpen }: { readonly isOpen: boolean }) {
    const { events } = subject
    const [newest] = events
    if (newest === undefined) return null
    const { kind, name } = namedOf(newest)
    return (
      <li>
        <details onToggle={({ currentTarget }) => this.setState({ isOpen: currentTarget.open })}>
          <summary data-row>
            <Moment at={newest.receivedAt} isTime inRow />
            <Marked look={lookOfSubject(subject)} />
            <span class="of cut">
              <b>{name}</b> <span class="faint">{kind}</span>
            </span>
            <span class="what cut">{itemOf(newest).title}</span>
            {newest.amount === null ? <span class="amount" /> : <Amount of={newest.amount} />}
            <span class="n faint figure">{counted(events.length, 'event')}</span>
            <Icon name="down" />
          </summary>
          {isOpen && (
            <div class="more">
              <Timeline label={`Events of ${name}`} items={events.map((event) => itemOf(event))} />
              <p class="row wrap">
                {viewsOf(subject).map((view) => (
                  <a key={view.href} class="button" href={view.href}>
                    Open the {view.kind.toLowerCase()} {view.name}
                  </a>
                ))}
              </p>
            </div>
          )}
        </details>
      </li>
    )
  }
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString(navigator.language)} ${noun}${count === 1 ? '' : 's'}`
}
