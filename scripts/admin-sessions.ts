import { listSessionsOf, revokeSessionsOf } from '~/features/office/sessions/sessions.server'
import { disableTwoFactorOf } from '~/features/office/sessions/two-factor/two-factor.server'
import type { AdminTask } from './admin-task'
import { adminCommandContext, personBy, say, table } from './admin-context'

const email = { type: 'string', help: 'the e-mail address of the user', required: true } as const

export const sessionTasks: Record<string, AdminTask> = {
  'disable-two-factor': {
    summary: 'let a user who lost phone and recovery codes sign in with the password only',
    flags: { email },
    async run(db, values) {
      const { id, name } = await personBy(db, values['email'])
      const { wasOn } = await disableTwoFactorOf(adminCommandContext(db), { id })
      say(
        wasOn
          ? `${name} now signs in with the password only.`
          : `${name} had no two-step verification.`,
      )
    },
  },
  'revoke-sessions': {
    summary: 'sign a user out everywhere, and revoke the app passwords of the user’s phones',
    flags: { email },
    async run(db, values) {
      const { id, name } = await personBy(db, values['email'])
      const { ended, appPasswords } = await revokeSessionsOf(adminCommandContext(db), { id })
      say(
        `${name}: ${ended} ${ended === 1 ? 'session' : 'sessions'} ended, ` +
          `${appPasswords} app ${appPasswords === 1 ? 'password' : 'passwords'} revoked.`,
      )
    },
  },
  'list-sessions': {
    summary: 'list the sessions of a user',
    flags: { email, json: { type: 'boolean', help: 'as JSON' } },
    async run(db, values) {
      const { id } = await personBy(db, values['email'])
      const sessions = await listSessionsOf(adminCommandContext(db), { id })
      const rows = sessions.map((session) => ({
        Device: [session.browser, session.system].filter(Boolean).join(' on ') || 'unknown',
        Kind: session.kind,
        Address: session.address,
        'Signed in': session.created_at.toISOString(),
        'Last used': session.last_seen_at.toISOString(),
      }))
      if (values['json']) say(JSON.stringify(sessions, null, 2))
      else say(rows.length ? table(rows) : 'No sessions.')
    },
  },
}
