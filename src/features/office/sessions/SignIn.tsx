import { Button, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { FieldForm } from '~/ui/FieldForm'
import { FocusFirst } from './FocusFirst'
import { accepted, codeFields, replaceFields, signInFields } from './session'
import { replacePassword, signIn, signOut, verifyTwoFactor } from './sessions.functions'
import { SignInFrame } from './SignInFrame'
import { Unlock } from './Unlock'

type Props = {
  state: 'none' | 'pending' | 'locked' | 'mustChange' | 'open'
  name: string
  language: Language
}

/** The way in, by its steps. Each ends with the route asking anew who this is: it then leads on. */
export function SignIn({ state, name, language }: Props) {
  if (state === 'locked') return <Locked name={name} language={language} />
  if (state === 'mustChange') return <OwnPassword language={language} />
  return state === 'pending' ? <StepTwo language={language} /> : <StepOne language={language} />
}

function StepOne({ language }: { language: Language }) {
  const say = useSay()
  const router = useRouter()
  return (
    <SignInFrame title="sessions.title" lead="sessions.lead" language={language}>
      <FocusFirst>
        <FieldForm
          fields={signInFields}
          submit="sessions.signIn"
          onSubmit={async (data) => {
            accepted(await signIn({ data }))
            await router.invalidate()
          }}
        />
      </FocusFirst>
      <Text size="sm" c="dimmed">
        {say('sessions.forgot')}
      </Text>
    </SignInFrame>
  )
}

function StepTwo({ language }: { language: Language }) {
  const router = useRouter()
  return (
    <SignInFrame title="sessions.stepTwo" lead="sessions.stepTwoText" language={language}>
      <FocusFirst>
        <FieldForm
          fields={codeFields}
          submit="sessions.continue"
          onSubmit={async (data) => {
            accepted(await verifyTwoFactor({ data }))
            await router.invalidate()
          }}
          cancel={<Leave label="sessions.startOver" />}
        />
      </FocusFirst>
    </SignInFrame>
  )
}

/** Another user had the password generated: nothing opens before its owner has chosen one. */
function OwnPassword({ language }: { language: Language }) {
  const router = useRouter()
  return (
    <SignInFrame title="sessions.ownPassword" lead="sessions.ownPasswordText" language={language}>
      <FocusFirst>
        <FieldForm
          fields={replaceFields}
          submit="sessions.continue"
          onSubmit={async (data) => {
            await replacePassword({ data })
            await router.invalidate()
          }}
          cancel={<Leave label="sessions.startOver" />}
        />
      </FocusFirst>
    </SignInFrame>
  )
}

function Locked({ name, language }: { name: string; language: Language }) {
  const router = useRouter()
  return (
    <SignInFrame
      title="sessions.lockedTitle"
      lead={{ key: 'sessions.lockedText', values: { name } }}
      language={language}
    >
      <Unlock onUnlocked={() => router.invalidate()} />
      <Leave label="sessions.someoneElse" />
    </SignInFrame>
  )
}

function Leave({ label }: { label: 'sessions.startOver' | 'sessions.someoneElse' }) {
  const say = useSay()
  const router = useRouter()
  const leave = async () => {
    await signOut()
    await router.invalidate()
  }
  return (
    <Button variant="subtle" onClick={() => void leave()}>
      {say(label)}
    </Button>
  )
}
