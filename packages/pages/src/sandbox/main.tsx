import { render } from 'preact'
import { useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { surviveTranslation } from '../translation.ts'
import { Page, type Act, type PageContext, type Subject } from './page-context.ts'
import { More, Search } from './parts/search.tsx'
import { Clock } from './parts/small.tsx'
import { ActDialog } from './parts/status-form.tsx'
import { SECTIONS, sectionAt } from './sections.tsx'
import { useSandbox } from './use-sandbox.ts'
import { WebhookDialog } from './webhook-dialog.tsx'

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
      <main>
        <h1>Sandbox</h1>
        <p role="status">Loading the state of the sandbox …</p>
      </main>
    )
  const page: PageContext = { facts, snapshot, query, notice, act, ...opening }
  const { Content } = section
  return (
    <Page.Provider value={page}>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="top">
        <h1>Sandbox</h1>
        <Clock now={snapshot.state.now} readAt={sandbox.readAt} />
        <p class={isConnected ? 'good' : 'bad'} role="status">
          {isConnected ? 'Live' : 'Not connected: retrying'}
        </p>
        <Search query={query} ask={sandbox.ask} />
      </header>
      <nav aria-label="Sections">
        <ul>
          {SECTIONS.map(({ name, title, count }) => (
            <li key={name}>
              <a href={`#${name}`} aria-current={name === section.name ? 'page' : undefined}>
                {title}
                {count !== undefined && ` (${count(snapshot)})`}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main id="content" tabIndex={-1}>
        <h2>{section.title}</h2>
        <Content />
        {section.isLong === true && <More total={section.count?.(snapshot) ?? 0} query={query} ask={sandbox.ask} />}
      </main>
      <p class="notice" role="status">
        {notice}
      </p>
      {subject !== null && <ActDialog key={subject.id} subject={subject} onClose={() => setSubject(null)} />}
      {webhookId !== null && <WebhookDialog id={webhookId} onClose={() => setWebhookId(null)} />}
    </Page.Provider>
  )
}

/** Returns the section that the URL names. */
function useSection() {
  const [name, setName] = useState(location.hash.slice(1))
  useLayoutEffect(() => {
    const follow = () => {
      // The skip link targets the content, not a section.
      if (location.hash !== '#content') setName(location.hash.slice(1))
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
