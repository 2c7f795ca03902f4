/** Where a file of an answer is served to users who may read the patient's history. */
export const fileUrl = (id: string) => `/api/event-files/${id}`
