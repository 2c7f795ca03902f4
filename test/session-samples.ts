import { newId, type Side } from './world'

const password = 'seven green herons'

/** As in samples.ts: valid in form; the password fits no account, which is an answer and not a refusal. */
export const sessionSamples: Record<string, (side: Side) => unknown> = {
  'sessions.signIn': () => ({ email: 'amal@clinic.example', password }),
  'sessions.verifyTwoFactor': () => ({ code: '123456' }),
  'sessions.signOut': () => ({}),
  'sessions.current': () => ({}),
  'sessions.list': () => ({}),
  'sessions.revoke': () => ({ id: newId() }),
  'sessions.revokeOthers': () => ({}),
  'sessions.lock': () => ({}),
  'sessions.unlock': () => ({ password }),
  'sessions.replacePassword': () => ({ newPassword: 'eight blue kites' }),
  'sessions.listOf': ({ registrar }) => ({ id: registrar.id }),
  'sessions.revokeAllOf': ({ registrar }) => ({ id: registrar.id }),

  'setup.state': () => ({}),
  'trust.get': () => ({}),
  'setup.complete': () => ({
    code: 'AAAA',
    clinic: 'Hillside',
    name: 'Amal',
    email: 'amal@clinic.example',
    newPassword: password,
  }),
  'setup.restoredAdmins': () => ({ code: 'AAAA' }),
  'setup.completeRestore': ({ registrar }) => ({
    code: 'AAAA',
    userId: registrar.id,
    newPassword: password,
  }),
  'setup.createSuperAdmin': () => ({
    name: 'Amal',
    email: 'amal@clinic.example',
    newPassword: password,
  }),

  'account.get': () => ({}),
  'account.saveProfile': () => ({
    name: 'Amal',
    language: 'ar',
    theme: 'dark',
    last_modified: '2026-01-05T08:00:00Z',
  }),
  'account.savePreferences': () => ({ language: 'es' }),
  'account.changePassword': () => ({ password, newPassword: 'eight blue kites' }),

  'appPasswords.list': () => ({}),
  'appPasswords.create': () => ({ name: 'Clinic phone', password }),
  'appPasswords.rename': () => ({ id: newId(), name: 'Clinic phone' }),
  'appPasswords.revoke': () => ({ id: newId() }),

  'apiClients.list': () => ({}),
  'apiClients.get': ({ apiClient }) => ({ id: apiClient.id }),
  'apiClients.save': ({ apiClient: { id, last_modified, user_id, scopes, jwks } }) => ({
    id,
    last_modified,
    name: 'Laboratory',
    user_id,
    scopes,
    jwks,
    is_active: true,
  }),
  'apiClients.revoke': ({ apiClient }) => ({ id: apiClient.id }),

  'twoFactor.start': () => ({ password }),
  'twoFactor.enable': () => ({ password, code: '123456' }),
  'twoFactor.disable': () => ({ password }),
  'twoFactor.newRecoveryCodes': () => ({ password }),
  'twoFactor.disableOf': ({ registrar }) => ({ id: registrar.id }),

  'users.currentId': () => ({}),
  'users.current': () => ({}),
  'users.hasRole': () => ({ role: 'provider' }),
  'permissions.check': ({ clinic }) => ({ clinicId: clinic.id, permissions: ['can_view_history'] }),
}

/** What every signed-in user may do: it is about the own account. */
export const ownMatters = [
  // what the user's own phone sent
  'quarantine.list',
  'conflicts.list',
  'devices.waiting',
  'sessions.list',
  'sessions.revokeOthers',
  'sessions.lock',
  'account.get',
  'account.saveProfile',
  'account.savePreferences',
  'account.changePassword',
  'appPasswords.list',
  'appPasswords.create',
  'twoFactor.start',
  'twoFactor.enable',
  'twoFactor.disable',
  'twoFactor.newRecoveryCodes',
  'users.currentId',
  'users.current',
  'users.hasRole',
  'permissions.check',
]
