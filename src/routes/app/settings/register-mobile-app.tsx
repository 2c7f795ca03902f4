import { Button, Paper } from '@mantine/core'
import { IconDeviceMobile, IconPrinter } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { PhoneSheet } from '~/features/office/settings/PhoneSheet'
import classes from '~/features/office/settings/PhoneSheet.module.css'
import { isSuperAdmin } from '~/shared/actor'
import { forbidden } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { CopyText } from '~/ui/CopyText'
import { EmptyState } from '~/ui/EmptyState'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'

export const Route = createFileRoute('/app/settings/register-mobile-app')({
  beforeLoad: ({ context }) => {
    if (!isSuperAdmin(context.actor)) throw forbidden()
  },
  loader: () => api.configurations.phoneCode(),
  component: RegisterMobileAppPage,
})

function RegisterMobileAppPage() {
  const say = useSay()
  const code = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  useLive('configurations.phoneCode')
  return (
    <div className={classes.page}>
      <Page
        title="settings.phonesTitle"
        lead={say('settings.phonesLead')}
        actions={
          code && (
            <>
              <CopyText
                value={code.origin}
                label="settings.phonesCopy"
                copied="settings.phonesCopied"
              />
              <Button
                leftSection={<IconPrinter size={16} aria-hidden />}
                onClick={() => window.print()}
              >
                {say('settings.phonesPrint')}
              </Button>
            </>
          )
        }
      >
        {code ? <PhoneSheet code={code} organization={viewer.organization} /> : <NoAddress />}
      </Page>
    </div>
  )
}

function NoAddress() {
  const say = useSay()
  return (
    <Paper withBorder>
      <EmptyState
        icon={IconDeviceMobile}
        title="settings.phonesUnset"
        text="settings.phonesUnsetText"
        action={
          <LinkButton mt="xs" to="/app/settings/configurations">
            {say('settings.phonesUnsetAction')}
          </LinkButton>
        }
      />
    </Paper>
  )
}
