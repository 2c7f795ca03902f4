import { Group, Text, TextInput } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { nameStore, useName } from '~/features/office/demo/name-store'
import { useSay } from '~/shared/say'
import { initials } from '~/ui/initials'
import { Page } from '~/ui/Page'
import { PersonAvatar } from '~/ui/PersonAvatar'

export const Route = createFileRoute('/demo/store')({ component: StorePage })

function StorePage() {
  const say = useSay()
  return (
    <Page title="demo.store" lead={say('demo.storeText')} narrow>
      <Group grow align="flex-start">
        <NamePart part="given" label={say('demo.given')} />
        <NamePart part="family" label={say('demo.family')} />
      </Group>
      <WholeName />
    </Page>
  )
}

function NamePart({ part, label }: { part: 'given' | 'family'; label: string }) {
  const name = useName()
  return (
    <TextInput
      label={label}
      dir="auto"
      autoComplete="off"
      value={name[part]}
      onChange={(event) => nameStore.set({ ...name, [part]: event.currentTarget.value })}
    />
  )
}

/** Knows nothing of the two inputs, only of the store. */
function WholeName() {
  const { given, family } = useName()
  const name = `${given} ${family}`.trim()
  return (
    <Group aria-live="polite">
      <PersonAvatar name={name} />
      <Text>
        <bdi>{name}</bdi> · <bdi>{initials(name)}</bdi>
      </Text>
    </Group>
  )
}
