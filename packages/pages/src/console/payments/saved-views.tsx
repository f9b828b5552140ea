import { useState } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'
import { keep, kept, ofBrowser } from '../../storage.ts'
import { textIn } from '../pieces/form-text.ts'
import { closePopover, Popover } from '../pieces/popover.tsx'
import { hrefOf } from '../routes/route.ts'

const NAME = 'console.views'
/** Length of a name, in characters. */
const LONGEST = 40

/** The filters of the list under a name. */
type View = { readonly name: string; readonly search: string }

/** The views that the user has named, kept in this browser, and the form that keeps the filters of now. */
export function SavedViews({ params }: { readonly params: URLSearchParams }) {
  const [views, setViews] = useState(savedViews)
  const now = new URLSearchParams([...params].filter(([name]) => name !== 'after')).toString()
  const change = (next: readonly View[]) => {
    keep(ofBrowser, NAME, next)
    setViews(next)
  }
  return (
    <Popover
      label="Views"
      opener={
        <>
          <span>{views.find(({ search }) => search === now)?.name ?? 'Views'}</span>
          <Icon name="down" />
        </>
      }
    >
      {views.length > 0 && (
        <ul class="saved" aria-label="Saved views">
          {views.map(({ name, search }) => (
            <li key={name} class="row">
              <a
                href={hrefOf('payments', null, Object.fromEntries(new URLSearchParams(search)))}
                onClick={(event) => closePopover(event.currentTarget)}
              >
                {name}
              </a>
              <button
                class="button quiet icon-only push"
                type="button"
                aria-label={`Remove the view ${name}`}
                onClick={() => change(views.filter((view) => view.name !== name))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        class="fields"
        aria-label="Save the view"
        onSubmit={(event) => {
          event.preventDefault()
          const name = textIn(event.currentTarget, 'name').trim()
          change([...views.filter((view) => view.name !== name), { name, search: now }])
          event.currentTarget.reset()
          closePopover(event.currentTarget)
        }}
      >
        <label class="field">
          <span class="label">Name of this view</span>
          <input class="input" name="name" required maxLength={LONGEST} autocomplete="off" disabled={now === ''} />
        </label>
        {now === '' && <p class="small faint">Choose filters first: a view keeps them in this browser.</p>}
        <button class="button primary" disabled={now === ''}>
          Save the view
        </button>
      </form>
    </Popover>
  )
}

function savedViews(): readonly View[] {
  const found = kept(ofBrowser, NAME)
  if (!Array.isArray(found)) return []
  return found.filter((view): view is View => typeof view?.name === 'string' && typeof view?.search === 'string')
}
