import 'graphiql/setup-workers/vite'
import '@graphiql/react/style.css'
import '@graphiql/plugin-doc-explorer/style.css'
import 'graphiql/graphiql.css'
import './explorer.css'
import { GraphiQL } from 'graphiql'
import { createElement, useMemo, useState, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { ofBrowser } from '../storage.ts'
import { surviveTranslation } from '../translation.ts'
import { useSameHeaders, useSystemTheme } from './editors.ts'
import { EXAMPLES, HEADERS } from './example-operations.ts'
import { createFetcher } from './fetcher.ts'

surviveTranslation()
const root = document.querySelector('#app')
if (root !== null) createRoot(root).render(createElement(Explorer))

/** GraphiQL names all that it stores so. */
const STORAGE = { ...ofBrowser, length: 0, clear: () => ofBrowser.removeAll('graphiql:') }

function Explorer(): ReactNode {
  const [refusal, setRefusal] = useState<string | null>(null)
  const fetcher = useMemo(() => createFetcher(new URL(location.pathname, location.href), setRefusal), [])
  return [
    createElement('div', { key: 'notice', role: 'status' }, refusal === null ? null : notice(refusal)),
    createElement(
      GraphiQL,
      {
        key: 'explorer',
        fetcher,
        defaultTabs: EXAMPLES,
        defaultHeaders: HEADERS,
        defaultEditorToolsVisibility: 'headers',
        // A token is a secret and must not outlive the page: the history would store the headers of all operations.
        shouldPersistHeaders: false,
        plugins: [],
        storage: STORAGE,
      },
      createElement(GraphiQL.Logo, null, createElement('h1', { className: 'title' }, 'GraphQL')),
      createElement(GraphiQL.Footer, null, createElement(Footer)),
    ),
  ]
}

function notice(refusal: string): ReactNode {
  return createElement(
    'p',
    { className: 'notice' },
    `The schema is not shown: ${refusal} `,
    'Where ROUTER_SECRETS is set, add ',
    createElement('code', null, '"x-router-secret"'),
    ' with one of them under Headers, and re-fetch the schema (Shift-Ctrl-R). Operations run without it.',
  )
}

function Footer(): ReactNode {
  useSameHeaders(HEADERS)
  useSystemTheme()
  return createElement(
    'p',
    { className: 'hint' },
    'A token for ',
    createElement('code', null, '"authorization"'),
    ' under Headers: ',
    createElement('code', null, 'npm run cli -- token "payments:read payments:write sandbox:simulate"'),
  )
}
