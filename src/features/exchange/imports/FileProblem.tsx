import { Alert, Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import { api } from '~/client/api'
import type { Message } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { type Encoding, ENCODINGS } from '~/shared/text-encoding'
import { useAction } from '~/ui/action'
import { EncodingSelect } from '~/ui/EncodingSelect'

/** Why the file cannot be read, and the choice of an encoding or a delimiter. */
export function FileProblem({
  id,
  problem,
  encoding,
}: {
  id: string
  problem: Message
  encoding: string | null
}) {
  const say = useSay()
  const { run, pending } = useAction()
  const [chosen, setChosen] = useState<Encoding | null>(
    ENCODINGS.find((known) => known === encoding) ?? null,
  )
  return (
    <Stack gap="md">
      <Alert color="red" variant="light" role="alert">
        {say(problem)}
      </Alert>
      {/* a workbook has no encoding to choose */}
      {!problem.key.startsWith('imports.workbook.') && (
        <Group align="flex-end">
          <EncodingSelect value={chosen} onChange={setChosen} />
          <Button
            loading={pending}
            onClick={() => void run(() => api.imports.setEncoding({ id, encoding: chosen }))}
          >
            {say('imports.readAgain')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
