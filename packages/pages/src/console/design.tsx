import './console.css'
import { render, type ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Icon, Sprite } from '../design/icons.tsx'
import { surviveTranslation } from '../translation.ts'
import { Dialog } from './pieces/dialog.tsx'
import { Chip } from './pieces/filter-form.tsx'
import { Moment } from './pieces/moments.tsx'
import { Banner, Empty, Fact, Facts, RowLink, Skeleton, Table, Tabs } from './pieces/page.tsx'
import { Popover } from './pieces/popover.tsx'
import { applyPreferences } from './pieces/preferences.ts'
import { STATUSES, type StatusKind } from './pieces/statuses.ts'
import { Timeline } from './pieces/timeline.tsx'
import { Amount, Id, Status } from './pieces/values.tsx'

surviveTranslation()
applyPreferences()
const AMOUNTS = [
  { value: '1250.5', currency: 'AUD', exponent: 2 },
  { value: '18400', currency: 'JPY', exponent: 0 },
  { value: '0.125', currency: 'KWD', exponent: 3 },
] as const
const HOUR_AGO = new Date(Date.now() - 3_600_000).toISOString()

/** Every part of the console in every state. */
function Parts() {
  return (
    <main class="page">
      <Sprite />
      <header>
        <h1>Parts of the console</h1>
      </header>
      <div class="stack-5">
        {(Object.keys(STATUSES) as StatusKind[]).map((kind) => (
          <Part key={kind} name={`Status: ${kind}`}>
            <div class="row wrap">
              {[...Object.keys(STATUSES[kind]), 'NEWER_THAN_THIS_PAGE'].map((value) => (
                <>
                  <Status kind={kind} of={value} />
                  <Status kind={kind} of={value} isFilled />
                </>
              ))}
            </div>
          </Part>
        ))}
        <Values />
        <Controls />
        <Part name="Banners">
          <div class="stack-3">
            {(['now', 'here', 'look', 'fault', 'back', 'over'] as const).map((tone) => (
              <Banner
                key={tone}
                tone={tone}
                glyph="flag"
                title={`What happened (${tone})`}
                actions={
                  <button class="button" type="button">
                    What to do
                  </button>
                }
              >
                <p>What it means for the money.</p>
              </Banner>
            ))}
          </div>
        </Part>
        <Lists />
        <Part name="Timeline">
          <Timeline
            label="Timeline"
            items={[
              { id: '1', at: HOUR_AGO, tone: 'here', glyph: 'done', title: 'Received', about: ['Event 2, by webhook'] },
              { id: '2', at: HOUR_AGO, tone: 'over', icon: 'links', isMinor: true, title: 'Link created' },
            ]}
          />
        </Part>
      </div>
    </main>
  )
}

function Part({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <section class="card" aria-label={name}>
      <header>
        <h2>{name}</h2>
      </header>
      <div class="body">{children}</div>
    </section>
  )
}

function Values() {
  return (
    <Part name="Amount, time, id, facts">
      <Facts>
        {AMOUNTS.map((amount) => (
          <Fact key={amount.currency} name={amount.currency}>
            <Amount of={amount} />
          </Fact>
        ))}
        <Fact name="Large">
          <Amount of={AMOUNTS[0]} class="large" />
        </Fact>
        <Fact name="Since">
          <Moment at={HOUR_AGO} />
        </Fact>
        <Fact name="Exact">
          <Moment at={HOUR_AGO} isExact />
        </Fact>
        <Fact name="Id">
          <Id of="FT0JIW6S" what="payment id" />
        </Fact>
      </Facts>
    </Part>
  )
}

function Controls() {
  const [open, setOpen] = useState<'dialog' | 'drawer' | null>(null)
  return (
    <Part name="Controls">
      <div class="stack-3">
        <div class="row wrap">
          {['', 'primary', 'quiet', 'danger'].map((look) => (
            <>
              <button class={`button ${look}`} type="button">
                Button
              </button>
              <button class={`button ${look}`} type="button" disabled>
                Not now
              </button>
              <button class={`button ${look}`} type="button" aria-busy="true">
                Busy
              </button>
            </>
          ))}
          <Popover label="Popover" opener="Popover">
            <div class="menu">
              <button type="button">An action</button>
            </div>
          </Popover>
          <button class="button" type="button" onClick={() => setOpen('dialog')}>
            Dialog …
          </button>
          <button class="button" type="button" onClick={() => setOpen('drawer')}>
            Drawer …
          </button>
        </div>
        <div class="chips">
          <Chip label="Filter" names={['a']} value={null}>
            <p class="note">A chip that filters nothing.</p>
          </Chip>
          <Chip label="Filter" names={['b']} value="A choice">
            <p class="note">A chip that filters.</p>
          </Chip>
        </div>
        <Tabs
          label="Tabs"
          tabs={[
            { name: 'All', href: '#all', isCurrent: true },
            { name: 'Needs attention', href: '#attention', isCurrent: false, count: '3' },
          ]}
        />
        <div class="row wrap">
          <span class="live here">Live</span>
          <span class="live look">Reconnecting</span>
          <span class="live fault">Not connected</span>
          <span class="badge sandbox">SANDBOX</span>
          <span class="badge production">PRODUCTION</span>
          <span class="count look">3</span>
        </div>
        <p class="lacks">
          <Icon name="lock" />
          <span>
            Refunds: unavailable. The token lacks <code>payments:refund</code>.
          </span>
        </p>
      </div>
      {open !== null && (
        <Dialog title="A dialog" isDrawer={open === 'drawer'} onClose={() => setOpen(null)}>
          <p>What it asks.</p>
        </Dialog>
      )}
    </Part>
  )
}

function Lists() {
  const table = (
    <Table caption="Payments" columns={[['Amount', 'number'], 'Status', 'Reference', ['Changed', 'number']]} isFolding>
      {AMOUNTS.map((amount) => (
        <tr key={amount.currency}>
          <td class="number lead">
            <Amount of={amount} />
          </td>
          <td class="end lead">
            <Status kind="PayinStatus" of="RECEIVED" />
          </td>
          <th scope="row">
            <RowLink href="#payment">order-{amount.currency}</RowLink>
          </th>
          <td class="number faint end">
            <Moment at={HOUR_AGO} inRow />
          </td>
        </tr>
      ))}
    </Table>
  )
  return (
    <>
      <section class="card rows" aria-label="A list">
        {table}
      </section>
      <section class="card rows" aria-label="A list of another filter" aria-busy="true">
        {/* Dimmed text has no least contrast. */}
        <div role="group" aria-label="Dimmed" aria-disabled="true">
          {table}
        </div>
      </section>
      <section class="card" aria-label="A list that is read">
        <Skeleton what="payments" />
      </section>
      <section class="card" aria-label="An empty list">
        <Empty title="No payment matches">
          <p>References are matched from their beginning.</p>
        </Empty>
      </section>
    </>
  )
}

// After the constants that the parts use.
const root = document.querySelector('#app')
if (root !== null) render(<Parts />, root)
