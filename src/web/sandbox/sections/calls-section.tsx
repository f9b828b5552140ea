import { usePage } from '../page-context.ts'
import { Table } from '../parts/field-table.tsx'
import { Time } from '../parts/small.tsx'

/** The calls to the interface. */
export function Calls() {
  const { snapshot, facts, query } = usePage()
  return (
    <Table
      caption="Calls to the interface, newest first"
      head={['At', 'Method', 'Path', 'Answer', 'app-id']}
      rows={snapshot.calls}
      keyOf={({ at, path }, index) => `${at} ${path} ${index}`}
      empty={
        <p>
          {query.search === ''
            ? `Nobody has called the interface yet. Its base address is ${facts.about.url}.`
            : `No calls with “${query.search}” in it.`}
        </p>
      }
      cells={({ at, method, path, status, fault, appId }) => [
        <Time at={at} />,
        method,
        <code>{path}</code>,
        `${status ?? 'none'}${fault ? ', by a fault' : ''}`,
        appId,
      ]}
    />
  )
}
