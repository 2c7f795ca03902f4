import { Stack } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { ChangePassword } from '~/features/office/sessions/passwords/ChangePassword'
import { Profile } from '~/features/office/sessions/Profile'
import { AppPasswords } from '~/features/office/sessions/app-passwords/AppPasswords'
import { SessionsTable } from '~/features/office/sessions/SessionsTable'
import { TwoFactor } from '~/features/office/sessions/two-factor/TwoFactor'
import { Page } from '~/ui/Page'

export const Route = createFileRoute('/app/account')({
  gcTime: 0,
  loader: async () => {
    const [account, sessions, appPasswords] = await Promise.all([
      api.account.get(undefined),
      api.sessions.list(undefined),
      api.appPasswords.list(undefined),
    ])
    return { account, sessions, appPasswords }
  },
  component: AccountPage,
})

function AccountPage() {
  const { account, sessions, appPasswords } = Route.useLoaderData()
  return (
    <Page title="account.title">
      <Stack gap="lg" maw="56rem">
        <Profile account={account} />
        <ChangePassword />
        <TwoFactor since={account.two_factor_since} codesLeft={account.recovery_codes_left} />
        <AppPasswords passwords={appPasswords} />
        <SessionsTable sessions={sessions} />
      </Stack>
    </Page>
  )
}
