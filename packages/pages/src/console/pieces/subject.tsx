import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { EventPartsFragment } from '../generated/graphql.ts'
import type { ViewName } from '../routes/route.ts'
import { type Answer, AnswerFailure } from './answers.tsx'
import { History } from './history.tsx'
import { Fact, Facts, Page, Waiting } from './page.tsx'
import type { StatusKind } from './statuses.ts'
import { Amount, type AmountValue, Status } from './values.tsx'

type Shown = {
  readonly amount: AmountValue
  readonly status: string
  readonly statusRaw?: string
  /** Beside the status. */
  readonly mark?: ComponentChildren
  readonly name: string
  readonly about: readonly (string | null | undefined)[]
  readonly events: {
    readonly nodes: readonly EventPartsFragment[]
    readonly pageInfo: { readonly hasNextPage: boolean }
  } | null
  /** The facts beside the timeline, by part: names and values, of which empty ones are absent. */
  readonly parts: Readonly<Record<string, Readonly<Record<string, ComponentChildren>>>>
}

type Props = {
  readonly in: ViewName
  /** What it is: `Payout`. */
  readonly what: string
  readonly id: string
  readonly answer: Answer<unknown>
  readonly kind: StatusKind
  /** Null until it has been read. */
  readonly shown: Shown | null
  readonly actions?: ComponentChildren
  /** Below the head: what a person has to know. */
  readonly banners?: ComponentChildren
  /** Below the timeline. */
  readonly more?: ComponentChildren
  /** Below the facts. */
  readonly aside?: ComponentChildren
}

/** One record: its amount and status, what to do, its timeline and its facts. */
export function Subject({ in: list, what, id, answer, kind, shown, actions, banners, more, aside }: Props) {
  return (
    <Page
      title={`${what} ${shown?.name ?? id}`}
      in={list}
      heading={
        shown === null ? (
          <span class="amount large">{id}</span>
        ) : (
          <>
            <Amount of={shown.amount} class="large" />{' '}
            <Status kind={kind} of={shown.status} raw={shown.statusRaw ?? null} isFilled /> {shown.mark}
          </>
        )
      }
      about={[shown?.name, ...(shown?.about ?? [])].filter(Boolean).join(' · ')}
      actions={actions}
    >
      <AnswerFailure of={answer} />
      {shown === null ? (
        <Waiting of={answer} what={`${what.toLowerCase()}s with the id ${id}`} />
      ) : (
        <>
          {banners}
          <div class="beside">
            <div class="stack-5">
              <History events={shown.events?.nodes ?? []} isWhole={shown.events?.pageInfo.hasNextPage !== true} />
              {more}
            </div>
            <aside class="side" aria-label="Facts">
              <div>
                {Object.entries(shown.parts).map(([part, facts]) => (
                  <Part key={part} name={part}>
                    <Facts>
                      {Object.entries(facts).map(([name, value]) => (
                        <Fact key={name} name={name}>
                          {value}
                        </Fact>
                      ))}
                    </Facts>
                  </Part>
                ))}
                {aside}
              </div>
            </aside>
          </div>
        </>
      )}
    </Page>
  )
}

function Part({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{name}</h2>
      {children}
    </section>
  )
}
