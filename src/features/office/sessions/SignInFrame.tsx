import { Group, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Language, languageNames, LANGUAGES } from '~/shared/language'
import { type Sayable, useSay } from '~/shared/say'
import { DocumentTitle } from '~/ui/DocumentTitle'
import { Logo } from '~/ui/Logo'
import { savePreferences } from './sessions.functions'
import classes from './SignInFrame.module.css'

type Props = { title: Sayable; lead: Sayable; language: Language; children: ReactNode }

/** The frame of every screen for users who are not signed in. */
export function SignInFrame({ title, lead, language, children }: Props) {
  const say = useSay()
  return (
    <main className={classes.page}>
      <DocumentTitle page={title} />
      <Group gap="sm">
        <Logo size={40} />
        <Text fw={700} fz={24} component="span">
          {say('shell.product')}
        </Text>
      </Group>
      <Paper withBorder radius="md" p="xl" className={classes.card}>
        <Stack gap="lg">
          <header>
            <Title order={1} size="h2">
              {say(title)}
            </Title>
            <Text c="dimmed" size="sm" mt={4}>
              {say(lead)}
            </Text>
          </header>
          {children}
        </Stack>
      </Paper>
      <LanguageSwitch language={language} />
    </main>
  )
}

function LanguageSwitch({ language }: { language: Language }) {
  const say = useSay()
  const router = useRouter()
  const choose = async (choice: string) => {
    await savePreferences({ data: { language: choice as Language } })
    await router.invalidate()
  }
  const names = LANGUAGES.map((value) => ({
    value,
    label: <span lang={value}>{languageNames[value]}</span>,
  }))
  return (
    <SegmentedControl
      aria-label={say('shell.language')}
      data={names}
      value={language}
      onChange={(choice) => void choose(choice)}
    />
  )
}
