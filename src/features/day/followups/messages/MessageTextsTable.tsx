import { Text } from '@mantine/core'
import { IconRestore } from '@tabler/icons-react'
import { use, useState } from 'react'
import { api } from '~/client/api'
import { ProgramName } from '~/features/care/programs/Program'
import { programName } from '~/features/care/programs/programs'
import { longText } from '~/fields/field'
import { textDirection, languageNames } from '~/shared/language'
import { useSay, useLanguage } from '~/shared/say'
import { useAction } from '~/ui/action'
import type { Column } from '~/ui/columns'
import { useToday } from '~/ui/clock'
import { DataTable } from '~/ui/DataTable'
import { FormContext } from '~/ui/FormField'
import { RecordDialog } from '~/ui/RecordDialog'
import { editAction, rowMenu } from '~/ui/rowMenu'
import { MessagePreview } from './MessagePreview'
import { dayText, fillText, LONGEST_TEXT } from './text'
import type { ListedText } from './texts.server'

const fields = {
  body: longText('messageTexts.body', { max: LONGEST_TEXT, hint: 'messageTexts.bodyHint' }),
}

/** The text of each schedule and language; one is changed in a dialog with its preview. */
export function MessageTextsTable({ texts }: { texts: readonly ListedText[] }) {
  const say = useSay()
  const language = useLanguage()
  const { run } = useAction()
  const [opened, setEditing] = useState<ListedText | null>(null)
  // another user may have changed it since the dialog opened
  const editing =
    opened &&
    (texts.find(
      (text) => text.schedule_code === opened.schedule_code && text.language === opened.language,
    ) ??
      opened)
  const textTitle = (row: ListedText) =>
    `${programName(row.program, language)}, ${languageNames[row.language]}`
  const rows = texts.map((text) => ({
    ...text,
    stored: text.id,
    id: `${text.schedule_code} ${text.language}`,
  }))
  const reset = ({
    schedule_code,
    language: textLanguage,
  }: Pick<ListedText, 'schedule_code' | 'language'>) =>
    run(() => api.messageTexts.reset({ schedule_code, language: textLanguage }), {
      success: 'messageTexts.resetDone',
      undo: async ({ deletionId }) => deletionId && api.trash.restore({ id: deletionId }),
    })
  const columns: Column<(typeof rows)[number]>[] = [
    {
      key: 'program',
      label: 'followups.program',
      card: 'title',
      cell: ({ program }) => <ProgramName code={program} />,
    },
    {
      key: 'language',
      label: 'messages.language',
      cell: (row) => <bdi>{languageNames[row.language]}</bdi>,
    },
    {
      key: 'body',
      label: 'messageTexts.body',
      cell: (row) => (
        <Text
          size="sm"
          maw="38rem"
          lang={row.language}
          dir={textDirection(row.language)}
          style={{ overflowWrap: 'anywhere' }}
        >
          {row.body}
        </Text>
      ),
    },
  ]
  return (
    <>
      <DataTable
        label="messageTexts.title"
        columns={columns}
        rows={rows}
        empty="messageTexts.notFound"
        nameOf={textTitle}
        actions={rowMenu<(typeof rows)[number]>([
          editAction((row) => setEditing({ ...row, id: row.stored })),
          {
            label: 'messageTexts.reset',
            icon: IconRestore,
            run: reset,
            isFor: ({ stored }) => stored !== null,
          },
        ])}
      />
      {editing && (
        <RecordDialog
          title={{ key: 'messageTexts.edit', values: { name: textTitle(editing) } }}
          fields={fields}
          record={
            editing.id && editing.last_modified
              ? { id: editing.id, last_modified: editing.last_modified, body: editing.body }
              : undefined
          }
          suggested={{ body: editing.body }}
          onSave={({ body }, version) =>
            api.messageTexts.save({
              ...version,
              schedule_code: editing.schedule_code,
              language: editing.language,
              body,
            })
          }
          saved={() => 'common.saved'}
          onClose={() => setEditing(null)}
        >
          {(Field) => (
            <>
              <Field name="body" />
              <Text size="sm" fw={500}>
                {say('messages.preview')}
              </Text>
              <Preview language={editing.language} />
            </>
          )}
        </RecordDialog>
      )}
    </>
  )
}

/** With an invented patient. */
function Preview({ language }: Pick<ListedText, 'language'>) {
  const say = useSay()
  const today = useToday()
  const body = use(FormContext)?.draft['body']
  const text = fillText(typeof body === 'string' ? body : '', {
    name: say('messageTexts.sampleName'),
    clinic: say('messageTexts.sampleClinic'),
    date: dayText(today, language),
    phone: '0944 123 456',
  })
  return <MessagePreview text={text} language={language} />
}
