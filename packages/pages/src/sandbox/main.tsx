import { render } from 'preact'
import { useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { Icon, Sprite } from '../design/icons.tsx'
import { surviveTranslation } from '../translation.ts'
import { ActDialog } from './dialogs/act-dialog.tsx'
import { KINDS, NewDialog } from './dialogs/new-dialog.tsx'
import { WebhookDialog } from './dialogs/webhook-dialog.tsx'
import { More, Search } from './parts/search.tsx'
import { GROUPS, type Section, sectionAt } from './sections.tsx'
import { Clock } from './sections/clock.tsx'
import type { Snapshot } from './state/endpoints.ts'
import { Page, type Act, type PageContext, type Subject } from './state/page-context.ts'
import { useSandbox } from './state/use-sandbox.ts'

surviveTranslation()
const root = document.querySelector('#app')
if (root !== null) render(<App />, root)

/** The sandbox's own page: its state, and actions on it. */
function App() {
  const sandbox = useSandbox()
  const { facts, snapshot, query, isConnected } = sandbox
  const section = useSection()
  // With the heading, not after it.
  useLayoutEffect(() => {
    document.title = `${section.title} · Sandbox`
  }, [section])
  const [notice, act, forget] = useNotice()
  const [subject, setSubject] = useState<Subject | null>(null)
  const [webhookId, setWebhookId] = useState<string | null>(null)
  const [isCreating, setCreating] = useState(false)
  const opening = useMemo(
    () => ({
      open: (next: Subject) => {
        forget()
        setSubject(next)
      },
      openWebhook: (id: string) => {
        forget()
        setWebhookId(id)
      },
    }),
    [],
  )
  if (facts === null || snapshot === null)
    return (
      <main class="page">
        <h1>Sandbox</h1>
        <p role="status">Loading the state of the sandbox …</p>
      </main>
    )
  const page: PageContext = { facts, snapshot, query, notice, act, ...opening }
  const { Content, creates, count } = section
  const total = count?.(snapshot) ?? 0
  const live = <Live isConnected={isConnected} />
  return (
    <Page.Provider value={page}>
      <Sprite />
      <a class="button skip" href="#content">
        Skip to the content
      </a>
      <div class="console sandbox-frame" data-env="sandbox">
        <aside class="sidebar" id="nav">
          <p class="home">
            Sandbox<span class="badge sandbox push">EMULATOR</span>
          </p>
          <Search query={query} ask={sandbox.ask} />
          <Sections current={section} snapshot={snapshot} />
          <div class="foot">{live}</div>
        </aside>
        <div class="content">
          <header class="topbar">
            <a class="tap" href="#nav" aria-label="Open the sections">
              <Icon name="menu" />
            </a>
            <span class="where">{section.title}</span>
            <span class="push">{live}</span>
          </header>
          <main class="page" id="content" tabIndex={-1}>
            <Clock now={snapshot.state.now} readAt={sandbox.readAt} />
            <header>
              <h1>{section.title}</h1>
              {count !== undefined && <span class="count">{total}</span>}
              {creates !== undefined && (
                <span class="row push">
                  <button
                    class="button primary"
                    type="button"
                    onClick={() => {
                      forget()
                      setCreating(true)
                    }}
                  >
                    <Icon name="plus" />
                    {KINDS[creates].title}
                  </button>
                </span>
              )}
            </header>
            <p class="notice faint small" role="status">
              {notice}
            </p>
            <Content />
            {section.isLong === true && <More total={total} query={query} ask={sandbox.ask} />}
          </main>
        </div>
      </div>
      {subject !== null && <ActDialog key={subject.id} subject={subject} onClose={() => setSubject(null)} />}
      {webhookId !== null && <WebhookDialog id={webhookId} onClose={() => setWebhookId(null)} />}
      {isCreating && creates !== undefined && <NewDialog kind={creates} onClose={() => setCreating(false)} />}
    </Page.Provider>
  )
}

/** Whether the page follows the sandbox. Shown twice, on a phone in the bar; screen readers hear one. */
function Live({ isConnected }: { readonly isConnected: boolean }) {
  return (
    <span class={`live ${isConnected ? 'here' : 'fault'}`} role="status">
      {isConnected ? 'Live' : 'Not connected: retrying'}
    </span>
  )
}

function Sections({ current, snapshot }: { readonly current: Section; readonly snapshot: Snapshot }) {
  return (
    <nav aria-label="Sections">
      {GROUPS.map(([title, sections]) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          <ul>
            {sections.map(({ name, title: text, glyph, count }) => (
              <li key={name}>
                <a href={`#${name}`} aria-current={name === current.name ? 'page' : undefined}>
                  <Icon name={glyph} />
                  {text}
                  {count !== undefined && count(snapshot) > 0 && <span class="count">{count(snapshot)}</span>}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}

/** Returns the section that the URL names. */
function useSection() {
  const [name, setName] = useState(location.hash.slice(1))
  useLayoutEffect(() => {
    const follow = () => {
      // Links to the content and to the navigation name no section.
      if (location.hash !== '#content' && location.hash !== '#nav') setName(location.hash.slice(1))
    }
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return sectionAt(name)
}

function useNotice(): [notice: string, act: Act, forget: () => void] {
  const [notice, setNotice] = useState('')
  const act = useMemo<Act>(
    () => async (work, done) => {
      try {
        const answer = await work()
        setNotice(typeof done === 'string' ? done : done(answer))
        return true
      } catch (error) {
        setNotice(`Failed: ${error instanceof Error ? error.message : 'the sandbox did not answer.'}`)
        return false
      }
    },
    [],
  )
  return [notice, act, () => setNotice('')]
}
