import type { LeaseStore } from '../lease-store.ts'
import type { Write } from '../unit.ts'

/** Leases, each a row that is taken, renewed and taken over by one statement. */
export function createLeaseStore(write: Write): LeaseStore {
  return {
    take: (name, owner, { now, until }) =>
      write(async ({ db }) => {
        const taken = await db
          .insertInto('leases')
          .values({ name, owner, until: until.getTime() })
          .onConflict((conflict) =>
            conflict
              .column('name')
              .doUpdateSet({ owner, until: until.getTime() })
              .where((eb) => eb.or([eb('leases.owner', '=', owner), eb('leases.until', '<=', now.getTime())])),
          )
          .returning('name')
          .executeTakeFirst()
        return taken !== undefined
      }),
    release: (name, owner) =>
      write(async ({ db }) => {
        await db.deleteFrom('leases').where('name', '=', name).where('owner', '=', owner).execute()
      }),
  }
}
