package modeltest

import (
	"fmt"
	"net/http"
	"strings"
)

const plainModel = "plain"

// refusesPlain is that of a small server: one of its models knows neither
// schemas nor temperatures.
func refusesPlain(b chatBody) (int, any) {
	switch {
	case b.Model != plainModel:
	case b.Temperature != nil && *b.Temperature != 1:
		return http.StatusBadRequest,
			openAIError("Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is supported.", "temperature", "unsupported_value")
	case b.ResponseFormat != nil:
		return http.StatusBadRequest,
			openAIError("Invalid parameter: 'response_format' of type '"+b.format()+"' is not supported with this model.",
				"response_format", nil)
	}
	return 0, nil
}

// refusesOpenAI is that of GPT-5 and its like; gpt-4o is of the kind before.
func refusesOpenAI(b chatBody) (int, any) {
	old := b.Model == "gpt-4o"
	var message, param string
	code := "unsupported_value"
	switch {
	case !old && b.Temperature != nil && *b.Temperature != 1:
		param, message = "temperature",
			fmt.Sprintf("Unsupported value: 'temperature' does not support %v with this model. Only the default (1) value is supported.", *b.Temperature)
	case !old && b.MaxTokens > 0:
		param, code, message = "max_tokens", "unsupported_parameter",
			"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
	case old && b.ReasoningEffort != "":
		param, code, message = "", "", "Unrecognized request argument supplied: reasoning_effort"
	case b.Model == "gpt-5.4" && b.ReasoningEffort == "minimal", b.Model == "gpt-5-mini" && b.ReasoningEffort == "none":
		param, message = "reasoning_effort",
			fmt.Sprintf("Unsupported value: 'reasoning_effort' does not support '%s' with this model.", b.ReasoningEffort)
	case b.format() == "json_schema" && !b.strict():
		param, code, message = "response_format", "",
			"Invalid schema for response_format 'answer': In context=(), 'additionalProperties' is required to be supplied and to be false."
	default:
		return 0, nil
	}
	return http.StatusBadRequest, openAIError(message, param, code)
}

func refusesAnthropic(b chatBody) (int, any) {
	message := ""
	switch {
	case b.Temperature != nil:
		message = "`temperature` is deprecated for this model."
	case b.format() == "json_object":
		message = "response_format.type: Input should be 'json_schema'"
	case b.format() == "json_schema" && !b.ResponseFormat.JSONSchema.Strict:
		message = "response_format.json_schema.strict: Field required"
	case b.format() == "json_schema" && !b.strict():
		message = "output_format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false"
	default:
		return 0, nil
	}
	return http.StatusBadRequest, openAIError(message, "", "invalid_request_error")
}

// refusesGoogle answers with a list of one error.
func refusesGoogle(b chatBody) (int, any) {
	message := ""
	switch {
	case b.ReasoningEffort == "none":
		message = bareRefusal
	case b.Model == strange && b.ResponseFormat != nil:
		message = "Invalid JSON payload received. Unknown name \"response_format\": Cannot find field."
	default:
		return 0, nil
	}
	return http.StatusBadRequest,
		[]any{map[string]any{"error": map[string]any{"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}}
}

func refusesOllama(b chatBody) (int, any) {
	if b.ReasoningEffort != "" && b.ReasoningEffort != "none" {
		return http.StatusBadRequest,
			map[string]any{"error": map[string]any{"message": fmt.Sprintf("%q does not support thinking", b.Model),
				"type": "api_error", "param": nil, "code": nil}}
	}
	return 0, nil
}

func refusesNothing(chatBody) (int, any) { return 0, nil }

func refusesVLLM(b chatBody) (int, any) {
	if b.Model == strange && b.format() == "json_schema" {
		return http.StatusBadRequest,
			map[string]any{"object": "error", "message": "guided decoding (json_schema) is not available in this build",
				"type": "BadRequestError", "param": nil, "code": 400}
	}
	return 0, nil
}

func refusesLMStudio(b chatBody) (int, any) {
	if b.format() == "json_object" {
		return http.StatusBadRequest, map[string]any{"error": "'response_format.type' must be 'json_schema' or 'text'"}
	}
	return 0, nil
}

// refusesOpenRouter passes on what the provider behind it says.
func refusesOpenRouter(b chatBody) (int, any) {
	if (strings.Contains(b.Model, "claude") || b.Model == strange) && b.Temperature != nil {
		return http.StatusBadRequest,
			map[string]any{"error": map[string]any{"message": "Provider returned error", "code": 400,
				"metadata": map[string]any{"raw": `{"type":"error","error":{"type":"invalid_request_error","message":"` +
					"`temperature`" + ` is deprecated for this model."}}`, "provider_name": "Anthropic"}}}
	}
	return 0, nil
}

func refusesGroq(b chatBody) (int, any) {
	switch {
	case b.format() == "json_schema" && b.Stream:
		return http.StatusBadRequest,
			openAIError("response_format `json_schema` is not supported with streaming", "response_format", nil)
	case b.Model == strange && b.ReasoningEffort != "":
		return http.StatusBadRequest, openAIError("`reasoning_effort` is not supported with this model", "", nil)
	}
	return 0, nil
}

// refusesMistral lists all that it doesn't know at once, with an echo of it.
func refusesMistral(b chatBody) (int, any) {
	var detail []any
	extra := func(is bool, name string, input any) {
		if is {
			detail = append(detail, map[string]any{"type": "extra_forbidden", "loc": []string{"body", name},
				"msg": "Extra inputs are not permitted", "input": input})
		}
	}
	extra(b.StreamOptions != nil, "stream_options", b.StreamOptions)
	extra(b.MaxCompletion > 0, "max_completion_tokens", b.MaxCompletion)
	extra(b.ReasoningEffort != "", "reasoning_effort", b.ReasoningEffort)
	if detail == nil {
		return 0, nil
	}
	return http.StatusUnprocessableEntity,
		map[string]any{"object": "error", "message": map[string]any{"detail": detail}, "type": "invalid_request_error",
			"param": nil, "code": nil}
}

func refusesDeepSeek(b chatBody) (int, any) {
	switch {
	case b.format() == "json_schema":
		return http.StatusBadRequest, openAIError("This response_format type is unavailable now", "", "invalid_request_error")
	case b.format() == "json_object" && !strings.Contains(strings.ToLower(b.request().Text()), "json"):
		return http.StatusBadRequest,
			openAIError("Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'.", "",
				"invalid_request_error")
	}
	return 0, nil
}

// refusesLiteLLM names what it doesn't pass on, and echoes the question.
func refusesLiteLLM(b chatBody) (int, any) {
	if b.Temperature == nil {
		return 0, nil
	}
	return http.StatusBadRequest, map[string]any{"error": map[string]any{"type": "None", "param": nil, "code": "400",
		"message": "litellm.UnsupportedParamsError: anthropic does not support parameters: ['temperature'], for model=" +
			b.Model + ". To drop these, set `litellm.drop_params=True`. Received: " + b.request().Text()}}
}
