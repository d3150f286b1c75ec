package provider

import "testing"

func TestLevel(t *testing.T) {
	for _, tt := range []struct{ model, setting, stage, want string }{
		{"gemini-2.5-flash-lite", "auto", "pai-classify", "off"},
		{"gemini-2.5-flash-lite", "auto", "pai-plan", "low"},
		{"gemini-2.5-pro", "auto", "pai-suggest", "minimal"},
		{"gemini-2.0-flash", "high", "pai-plan", ""},
		{"gemini-3.5-flash-lite", "auto", "pai-classify", "minimal"},
		{"gemini-3.5-flash-lite", "auto", "pai-exec", "low"},
		{"gemini-3.5-flash-lite", "off", "pai-exec", "minimal"},
		{"gemini-3.8-flash", "minimal", "pai-classify", "low"},
		{"gemini-3.1-pro", "auto", "pai-classify", "low"},
		{"gemini-flash-latest", "auto", "pai-classify", "low"},
		{"gemini-flash-lite-latest", "auto", "pai-classify", "minimal"},
		{"gemini-4-flash", "auto", "pai-classify", "low"},
		{"gemini-7-ultra", "high", "pai-plan", "high"},
		{"openai/gpt-5-mini", "auto", "pai-classify", "minimal"},
		{"openai/gpt-5.4", "auto", "pai-classify", "off"},
		{"openai/gpt-5.4", "minimal", "pai-plan", "low"},
		{"openai/gpt-4o", "high", "pai-plan", ""},
		{"openai/o4-mini", "off", "pai-plan", "low"},
		{"openai/openai/gpt-oss-120b:free", "auto", "pai-suggest", "low"},
		{"openai/google/gemini-2.5-flash", "auto", "pai-plan", "low"},
		{"openai/qwen3", "auto", "pai-plan", ""},
	} {
		if got := familyOf(tt.model).level(tt.setting, tt.stage); got != tt.want {
			t.Errorf("%s, thinking %s, for %s: %q, want %q", tt.model, tt.setting, tt.stage, got, tt.want)
		}
	}
}

func TestFamilyTemperature(t *testing.T) {
	for model, want := range map[string]bool{"gemini-2.5-pro": true, "gemini-3.5-flash-lite": false, "gemini-next": false, "openai/gpt-5-mini": false,
		"openai/gpt-4.1": true, "openai/claude-sonnet-5": false, "openai/qwen3": true, "openai/anthropic/claude-x": false} {
		if got := familyOf(model).temperature; got != want {
			t.Errorf("%s takes a temperature: %t, want %t", model, got, want)
		}
	}
}
