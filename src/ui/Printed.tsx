import { Button, Group, SegmentedControl } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { type Language, LANGUAGES } from '~/shared/language'
import { useSay } from '~/shared/say'
import { usePrint } from './print'
import { Spoken } from './Spoken'

type Props = {
  /** The patient's, which need not be the user's. */
  language: Language
  timeZone: string
  onLanguage: (language: Language) => void
  patientId: string
  children: ReactNode
}

/** A sheet for the patient: its language is chosen above it, and it is printed without the buttons. */
export function Printed({ language, timeZone, onLanguage, patientId, children }: Props) {
  const say = useSay()
  const { print, pending } = usePrint([patientId])
  return (
    <>
      <Group data-print="no" gap="sm">
        <SegmentedControl
          aria-label={say('prescriptions.printLanguage')}
          value={language}
          onChange={(chosen) => onLanguage(chosen as Language)}
          data={LANGUAGES.map((value) => ({ value, label: say(`account.language_${value}`) }))}
        />
        <Button
          leftSection={<IconPrinter size={16} aria-hidden />}
          loading={pending}
          onClick={() => void print()}
        >
          {say('prescriptions.print')}
        </Button>
      </Group>
      <Spoken language={language} timeZone={timeZone}>
        {children}
      </Spoken>
    </>
  )
}
