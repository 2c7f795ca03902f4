import { Alert, Group, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core'
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
          <BelowPath />
          {children}
        </Stack>
      </Paper>
      <LanguageSwitch language={language} />
    </main>
  )
}

/** Below a path of a proxy no script of the screen is found, so a script in the page shows it. */
function BelowPath() {
  const say = useSay()
  const router = useRouter()
  return (
    <>
      <div id="below" data-path={router.state.location.pathname} hidden suppressHydrationWarning>
        <Alert color="red" variant="light" role="alert">
          {say('sessions.belowPath')}
        </Alert>
      </div>
      <script
        nonce={router.options.ssr?.nonce}
        dangerouslySetInnerHTML={{ __html: showBelowPath }}
        suppressHydrationWarning
      />
    </>
  )
}

const showBelowPath =
  "const below = document.getElementById('below'); below.hidden = location.pathname === below.dataset.path"

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
