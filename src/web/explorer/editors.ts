import { useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { useEffect, useRef } from 'react'

/** Takes the headers along to every other tab, since a token is typed in once. `initial` stands there until then. */
export function useSameHeaders(initial: string): void {
  const editor = useGraphiQL(({ headerEditor }) => headerEditor)
  const tab = useGraphiQL(({ activeTabIndex }) => activeTabIndex)
  const typed = useRef(initial)

  useEffect(() => {
    // What a tab brings along itself flushes the editor; what somebody types does not.
    const listening = editor?.onDidChangeModelContent(({ isFlush }) => {
      if (!isFlush) typed.current = editor.getValue()
    })
    return () => listening?.dispose()
  }, [editor])

  useEffect(() => {
    if (editor !== undefined && editor.getValue() !== typed.current) editor.setValue(typed.current)
  }, [editor, tab])
}

/** Has the editors follow the system from dark to light and back while the page is open, unless a look was chosen. */
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
