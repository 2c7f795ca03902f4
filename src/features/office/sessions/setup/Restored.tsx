import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '~/client/api'
import type { Language } from '~/shared/language'
import { FieldForm } from '~/ui/FieldForm'
import { FocusFirst } from '../FocusFirst'
import { accepted, restoredFields } from '../session'
import { completeRestore } from '../sessions.functions'
import { SignInFrame } from '../SignInFrame'

type Person = { id: string; name: string; email: string }
type Entered = { code: string; people: Person[] }
const { code: codeField, ...newFields } = restoredFields

/** After the restore of a backup without passwords: asks for the code, then a super administrator and a password. */
export function Restored({ language }: { language: Language }) {
  const [entered, setEntered] = useState<Entered | null>(null)
  return (
    <SignInFrame title="setup.restoredTitle" lead="setup.restoredLead" language={language}>
      {entered ? <NewPassword {...entered} /> : <EnterCode onEntered={setEntered} />}
    </SignInFrame>
  )
}

function EnterCode({ onEntered }: { onEntered: (entered: Entered) => void }) {
  return (
    <FocusFirst>
      <FieldForm
        fields={{ code: codeField }}
        submit="sessions.continue"
        onSubmit={async ({ code }) => {
          const { people } = accepted(await api.setup.restoredAdmins({ code }))
          onEntered({ code, people })
        }}
      />
    </FocusFirst>
  )
}

function NewPassword({ code, people }: Entered) {
  const router = useRouter()
  const options = people.map(({ id, name, email }) => {
    const isUnique = people.filter((person) => person.name === name).length === 1
    return { value: id, label: { text: isUnique ? name : `${name} (${email})` } }
  })
  return (
    <FocusFirst>
      <FieldForm
        fields={newFields}
        suggested={{ userId: people.length === 1 ? people[0]!.id : null }}
        options={{ userId: options }}
        submit="setup.setPassword"
        onSubmit={async (values) => {
          accepted(await completeRestore({ data: { code, ...values } }))
          await router.invalidate()
        }}
      />
    </FocusFirst>
  )
}
