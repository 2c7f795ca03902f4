import { Button, Group, Text } from '@mantine/core'
import { api } from '~/client/api'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import type { PaperLanguage } from './paper.server'

type Props = {
  paper: PaperLanguage
  /** The language in which it is printed. */
  language: Language
}

/** Says in which language a paper is printed and why, and makes it the patient's by one press. */
export function PaperLanguageNote({ paper, language }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const { patientId, language: own, clinicLanguage, mayChange } = paper
  const isOwn = own === language
  const name = say(`account.language_${language}`)
  const ofClinic = language === clinicLanguage ? 'paper.languageOfClinic' : 'paper.languageUnknown'
  const ofOther = own ? 'paper.languageOther' : ofClinic
  const reason = isOwn ? 'paper.languageOfPatient' : ofOther
  const set = (next: Language | null) => api.patients.setLanguage({ patientId, language: next })
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed" aria-live="polite">
        {say({
          key: reason,
          values: { language: name, own: own ? say(`account.language_${own}`) : '' },
        })}
      </Text>
      {mayChange && !isOwn && (
        <Button
          variant="default"
          size="compact-sm"
          loading={pending}
          onClick={() =>
            void run(() => set(language), {
              success: { key: 'paper.languageSet', values: { language: name } },
              undo: () => set(own),
            })
          }
        >
          {say({ key: 'paper.languageSetTo', values: { language: name } })}
        </Button>
      )}
    </Group>
  )
}
