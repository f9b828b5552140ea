import { useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { useEffect, useRef } from 'react'

/** Copies the headers to every other tab, so that a token needs to be typed only once. `initial` is the text before that. */
export function useSameHeaders(initial: string): void {
  const editor = useGraphiQL(({ headerEditor }) => headerEditor)
  const tab = useGraphiQL(({ activeTabIndex }) => activeTabIndex)
  const typed = useRef(initial)

  useEffect(() => {
    // A tab switch sets the editor's content with a flush; typing does not.
    const listening = editor?.onDidChangeModelContent(({ isFlush }) => {
      if (!isFlush) typed.current = editor.getValue()
    })
    return () => listening?.dispose()
  }, [editor])

  useEffect(() => {
    if (editor !== undefined && editor.getValue() !== typed.current) editor.setValue(typed.current)
  }, [editor, tab])
}

/**
 * GraphiQL gives the role of a tab to list items that contain two buttons, to select and to close it, which screen readers do not reach within a
 * tab. They become what they are: items of a list, with a button that tells whether it is the current one.
 */
export function useListOfTabs(): void {
  useEffect(() => {
    const correct = () => {
      for (const tab of document.querySelectorAll('.graphiql-tab[aria-selected]')) {
        tab.parentElement?.setAttribute('role', 'list')
        tab.setAttribute('role', 'listitem')
        tab
          .querySelector('.graphiql-tab-button')
          ?.setAttribute('aria-current', tab.getAttribute('aria-selected') ?? 'false')
        tab.removeAttribute('aria-selected')
      }
    }
    correct()
    const observer = new MutationObserver(correct)
    observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['aria-selected'] })
    return () => observer.disconnect()
  }, [])
}

/** Makes the editors follow the system's dark or light theme while the page is open, unless a theme was chosen. */
export function useSystemTheme(): void {
  const chosen = useGraphiQL(({ theme }) => theme)
  const { setTheme } = useGraphiQLActions()

  useEffect(() => {
    const system = matchMedia('(prefers-color-scheme: dark)')
    const follow = () => {
      if (chosen === null) setTheme(null)
    }
    system.addEventListener('change', follow)
    return () => system.removeEventListener('change', follow)
  }, [chosen, setTheme])
}
