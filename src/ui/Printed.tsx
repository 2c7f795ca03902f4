import { Box, Button, Group, SegmentedControl } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { type Language, LANGUAGES } from '~/shared/language'
import { useSay } from '~/shared/say'
import classes from './Printed.module.css'
import { type Paper, PAPERS } from './paperSearch'
import { usePrint } from './print'
import { Spoken } from './Spoken'

type Props = {
  /** The patient's, which need not be the user's. */
  language: Language
  timeZone: string
  onLanguage: (language: Language) => void
  /** Whose names are on the sheet: for the access log. */
  patientIds: readonly string[]
  /** `landscape` is A4; without one, the printer's. */
  paper?: Paper | 'landscape'
  /** Lets the user choose between A5 and A4. */
  onPaper?: (paper: Paper) => void
  /** Says in which language it is printed, and why. */
  note?: ReactNode
  children: ReactNode
}

/**
 * A sheet of paper: its language and size are chosen above it, and it is printed alone, without the frame of the
 * screen (`data-sheet` in global.css).
 */
export function Printed({
  language,
  timeZone,
  onLanguage,
  patientIds,
  paper,
  onPaper,
  note,
  children,
}: Props) {
  const say = useSay()
  const { print, pending } = usePrint(patientIds)
  return (
    <>
      <Group gap="sm">
        <SegmentedControl
          aria-label={say('prescriptions.printLanguage')}
          value={language}
          onChange={(chosen) => onLanguage(chosen as Language)}
          data={LANGUAGES.map((value) => ({ value, label: say(`account.language_${value}`) }))}
        />
        {onPaper && (
          <SegmentedControl
            aria-label={say('paper.size')}
            value={paper}
            onChange={(chosen) => onPaper(chosen as Paper)}
            data={[...PAPERS]}
          />
        )}
        <Button
          leftSection={<IconPrinter size={16} aria-hidden />}
          loading={pending}
          onClick={() => void print()}
        >
          {say('prescriptions.print')}
        </Button>
      </Group>
      {note}
      {/* a wide sheet scrolls on a phone, by keyboard, too */}
      <Box
        className={paper && classes[paper]}
        data-sheet
        {...(paper === 'landscape' && {
          tabIndex: 0,
          role: 'region',
          'aria-label': say('paper.sheet'),
        })}
      >
        <Spoken language={language} timeZone={timeZone}>
          {children}
        </Spoken>
      </Box>
    </>
  )
}
