import { openSqliteFixture } from './sqlite-fixture.ts'
import { describeStore } from './store-contract.ts'

describeStore('SQLite', (clock) => openSqliteFixture({ clock }))
