import { createAppPassword } from '~/features/office/sessions/app-passwords/app-passwords.server'
import { asking, PASSWORD, sessionFor } from '../sessions'
import { type Person, test as base } from './clinic'
import { codeOf, HubPhone } from './hub-phone'

// read once, before the server is imported
process.env['SANAD_HUB_HOST'] = '127.0.0.2'
process.env['SANAD_HUB_PORT'] = '0'
process.env['SANAD_BODY_LIMIT_MB'] = '4'

/** The hub of this file's server, which an administrator has switched on. */
export const test = base
  .extend('hub', { scope: 'file' }, async ({ db, server: _ }, { onCleanup }) => {
    const [{ followHub, hubListener }, { respondHub }, { stopListening }] = await Promise.all([
      import('~/server/hub/listener.server'),
      import('~/sync/http/hub.server'),
      import('~/server/live.server'),
    ])
    await db.updateTable('hub').set({ enabled: true }).execute()
    let close = await followHub(db, respondHub)
    onCleanup(async () => {
      await close()
      await stopListening()
    })
    return {
      url: () => `http://127.0.0.2:${hubListener().port}`,
      async restart() {
        await close()
        close = await followHub(db, respondHub)
      },
    }
  })
  .extend(
    'hubPhone',
    { scope: 'file' },
    ({ hub }) =>
      (person: Person, password = PASSWORD) =>
        new HubPhone(codeOf(hub.url()), person.email, password),
  )
  .extend('codeFor', { scope: 'file' }, ({ db }) => async (person: Person, name: string) => {
    const screen = await asking(db, { token: await sessionFor(db, person.id) })
    const created = await createAppPassword(screen, { name, password: PASSWORD })
    return (created as { code: string }).code
  })
