import { Button, Paper, Tabs } from '@mantine/core'
import { IconDeviceMobile, IconPrinter } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { HubSettings } from '~/features/office/hub/HubSettings'
import { AddressWarning, PhoneSheet } from '~/features/office/settings/PhoneSheet'
import { isSuperAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { oneOfOptions, defineSearch } from '~/shared/search-params'
import { CopyText } from '~/ui/CopyText'
import { EmptyState } from '~/ui/EmptyState'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { onlyFor } from '~/ui/onlyFor'

const readSearch = defineSearch({ by: oneOfOptions(['network']) })

export const Route = createFileRoute('/app/settings/register-mobile-app')({
  // over the public address unless `by` says otherwise
  validateSearch: readSearch,
  beforeLoad: onlyFor(isSuperAdmin),
  loader: async () => {
    const [code, hub] = await Promise.all([api.configurations.phoneCode(), api.hub.get()])
    return { code, hub }
  },
  component: RegisterMobileAppPage,
})

function RegisterMobileAppPage() {
  const say = useSay()
  const { code, hub } = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  const { by = 'address' } = Route.useSearch()
  const navigate = Route.useNavigate()
  const [chosen, setChosen] = useState<string>()
  useLive('configurations.phoneCode', 'hub.get')
  const ofHub = hub.codes.find(({ url }) => url === chosen) ?? hub.codes[0]
  const ofAddress = code && { ...code, address: code.origin }
  const shown =
    by === 'address' ? ofAddress : ofHub && { ...ofHub, address: ofHub.url, sheet: hub.sheet }
  return (
    <Page
      title="settings.phonesTitle"
      lead={say('settings.phonesLead')}
      actions={shown && <Actions address={shown.address} />}
    >
      <Tabs
        value={by}
        onChange={(to) =>
          void navigate({ search: to === 'network' ? { by: 'network' } : {}, replace: true })
        }
        variant="outline"
      >
        <Tabs.List aria-label={say('hub.ways')}>
          <Tabs.Tab value="address">{say('hub.byAddress')}</Tabs.Tab>
          <Tabs.Tab value="network">{say('hub.byNetwork')}</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      {by === 'network' && <HubSettings hub={hub} url={ofHub?.url} onUrl={setChosen} />}
      {by === 'address' && (code ? <AddressWarning origin={code.origin} /> : <NoAddress />)}
      {shown && <PhoneSheet {...shown} organization={viewer.organization} />}
    </Page>
  )
}

function Actions({ address }: { address: string }) {
  const say = useSay()
  return (
    <>
      <CopyText value={address} label="settings.phonesCopy" copied="settings.phonesCopied" />
      <Button leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => window.print()}>
        {say('settings.phonesPrint')}
      </Button>
    </>
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
