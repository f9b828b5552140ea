/** Thrown when a control call cannot be carried out; `httpStatus` is the status of the response. */
export class ControlError extends Error {
  readonly httpStatus: number

  constructor(httpStatus: number, message: string) {
    super(message)
    this.httpStatus = httpStatus
  }
}
