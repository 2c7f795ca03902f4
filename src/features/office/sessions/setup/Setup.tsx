import { useRouter } from '@tanstack/react-router'
import type { Language } from '~/shared/language'
import { FieldForm } from '~/ui/FieldForm'
import { FocusFirst } from '../FocusFirst'
import { accepted, setupFields } from '../session'
import { completeSetup } from '../sessions.functions'
import { SignInFrame } from '../SignInFrame'

export function Setup({ language }: { language: Language }) {
  const router = useRouter()
  return (
    <SignInFrame title="setup.title" lead="setup.lead" language={language}>
      <FocusFirst>
        <FieldForm
          fields={setupFields}
          submit="setup.submit"
          onSubmit={async (values) => {
            accepted(await completeSetup({ data: { ...values, language } }))
            await router.invalidate()
          }}
        />
      </FocusFirst>
    </SignInFrame>
  )
}
